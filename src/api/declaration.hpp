// Declared parameters, as the handles of credo/parameters.hpp name them.
#pragma once
#include "base/std.hpp"
#include "credo/parameters.hpp"

namespace credo {

struct Declaration {
  std::string name;
  detail::Type type = detail::Type::real;
  std::string constrained = {};  // "simplex"; empty: a real, vector or matrix with bounds
  Constraint constraint = {};
  Index rows = 1, cols = 1;
  Index first = 0;
  Index size() const { return rows * cols; }
};

struct Parameters::Impl {
  std::vector<Declaration> all = {};
  Index size = 0;
};

// "real<lower=0.0> tau;" in the Stan language.
std::string declared_text(const Declaration& declaration);

// A word of letters, digits and underscores that may name something of a program. Throws
// Error(usage).
void require_name(const std::string& name);

// A number as the language reads it back, to the last bit: "2.0", "(-1.5)", "not_a_number()".
std::string number_text(double number);

}  // namespace credo
