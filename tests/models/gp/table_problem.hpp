// A Gaussian process of a formula and columns in memory.
#pragma once
#include <gtest/gtest.h>

#include "models/gp/gp_table.hpp"

namespace credo::models::gp_tables {

using NamedColumns = std::map<std::string, std::vector<double>>;

inline std::string csv_of(const NamedColumns& columns) {
  std::ostringstream text;
  text.precision(17);
  std::size_t rows = 0;
  std::string comma;
  for (const auto& [name, x] : columns) text << std::exchange(comma, ",") << name, rows = x.size();
  text << "\n";
  for (std::size_t i = 0; i < rows; ++i) {
    comma = "";
    for (const auto& [name, x] : columns) text << std::exchange(comma, ",") << x[i];
    text << "\n";
  }
  return text.str();
}

inline GpTable table_of(const std::string& formula, const NamedColumns& columns,
                        double noise = -1.0) {
  const std::string text = csv_of(columns);
  GpRequest request{.formula = formula, .data = {}, .is_usable = {}, .noise = noise};
  request.is_usable = [](const std::string&) { return true; };
  request.data.files = {"d.csv"};
  FormulaFaults faults;
  GpTable made = make_gp_table(
      request, [&](const std::string&) -> const std::string& { return text; }, faults);
  EXPECT_TRUE(faults.empty()) << faults.text(formula);
  return made;
}

// Parameters of the table: those that the formula states, and `noise` and `sd` for the others; lengths have to be stated.
inline std::vector<double> theta_of(const GpTable& table, double sd = 1.1, double noise = 0.3) {
  std::vector<double> theta;
  for (const CovarianceParameter& p : table.problem.covariance.parameters())
    theta.push_back(p.is_fixed ? p.value : p.kind.name == "noise" ? noise : sd);
  return theta;
}

}  // namespace credo::models::gp_tables
