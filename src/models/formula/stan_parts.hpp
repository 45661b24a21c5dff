// Pieces of a program that the variables of a formula need: functions, constants, lines of transformed data.
#pragma once
#include <set>

#include "base/types.hpp"

namespace credo::models {

// A number that is computed from the table once and kept beside the program: a centre, knots, contrasts.
struct ProgramConstant {
  std::string name;
  std::vector<Index> dims = {};  // empty for a number, one for a vector, two for a matrix by rows
  std::vector<double> values = {};
  bool is_whole = false;
  std::string comment = {};

  std::string declaration() const;  // "vector[3] mean_period;"
};

struct StanParts {
  std::set<std::string> functions = {};  // names of helpers (function_text)
  std::vector<ProgramConstant> constants = {};
  std::vector<std::string> prepared = {};  // statements of transformed data
};

// Text of a helper function.
std::string_view function_text(const std::string& name);

// Names that a program declares, each given once.
class ProgramNames {
 public:
  // `is_usable`: false for words of the language and names of its functions.
  explicit ProgramNames(std::function<bool(const std::string&)> is_usable);
  // The name itself, or the name with a number behind it.
  std::string take(const std::string& wanted);

 private:
  std::function<bool(const std::string&)> is_usable_;
  std::set<std::string> taken_;
};

}  // namespace credo::models
