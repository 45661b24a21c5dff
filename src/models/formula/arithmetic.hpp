// Arithmetic of columns, as in I(x^2 / 10) and log(x + 1): the numbers, and the same as an expression of a program.
#pragma once
#include "models/formula/frame.hpp"

namespace credo::models {

struct Arithmetic {
  bool is_vector = false;
  std::vector<double> values;  // one for each row, or one number
  std::string stan;
  int strength = 100;  // binding strength of the outermost operator; 100 for a name or a call
};

// Names that aren't columns, with the vectors of the program for which they stand. Their values are NaN.
using VectorNames = std::map<std::string, std::string, std::less<>>;

// Registers the columns that the arithmetic uses, as numbers. False, with faults, if it isn't arithmetic.
bool use_columns(const Expression& e, Frame& frame, const VectorNames& vectors = {});
// After the rows are set and use_columns() was true.
Arithmetic arithmetic_of(const Expression& e, Frame& frame, const VectorNames& vectors = {});

// Functions of numbers that a formula may call: log, exp, ...
bool is_numeric_function(std::string_view name);
std::vector<std::string> numeric_function_names();

}  // namespace credo::models
