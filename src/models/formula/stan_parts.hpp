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

// A function that a program defines.
struct StanFunction {
  std::string_view name, text;
};

struct StanParts {
  std::map<std::string, std::string, std::less<>> functions = {};  // texts by name
  std::vector<ProgramConstant> constants = {};
  std::vector<std::string> prepared = {};  // statements of transformed data
};

// Functions that variables of a formula need: bases and pieces of columns, products of columns.
std::span<const StanFunction> formula_functions();
// Adds one of them.
void use_function(StanParts& parts, std::string_view name);

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
