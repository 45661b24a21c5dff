// Regressions of a small table, for tests of their programs and faults.
#pragma once
#include "models/regression/regression.hpp"

namespace credo::models::testing {
inline constexpr const char* kTable =
    "y,n,k,x,z,f,g,h,rating,flag\n"
    "2.5,10,3,1,0.5,a,u,p,1,yes\n"
    "3.5,12,0,2,-1.0,b,u,q,2,no\n"
    "1.0,9,9,3,0.25,c,v,p,3,yes\n"
    "4.0,20,5,4,2.0,a,v,q,1,no\n"
    "2.0,8,1,5,1.5,b,w,p,2,no\n"
    "6.5,11,4,6,0.0,c,w,q,3,yes\n"
    "5.0,10,2,7,-0.5,a,u,p,2,yes\n";

struct Made {
  Regression regression;
  std::string faults;
};

inline Made made(const std::string& formula, RegressionRequest request = {},
                 const std::string& table = kTable) {
  request.formula = formula;
  request.data.files = {"t.csv"};
  if (!request.is_usable)
    request.is_usable = [](const std::string& name) { return name != "size"; };
  const std::map<std::string, std::string> texts{{"t.csv", table}};
  FormulaFaults faults;
  const auto text_of = [&](const std::string& path) -> const std::string& {
    return texts.at(path);
  };
  Made result{make_regression(request, text_of, faults), {}};
  result.faults = faults.text(formula);
  return result;
}

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}
}  // namespace credo::models::testing
