// Priors of the coefficients of several terms together: horseshoe(x + z), lasso(...). A row says what such a prior puts into the program.
#pragma once
#include "models/formula/bases.hpp"
#include "models/regression/special.hpp"

namespace credo::models {

bool is_of_positive_numbers(const std::string& prior);

// Coefficients of a term.
struct TermBlock {
  std::string text, parameter;
  bool is_number = false;  // a single coefficient, else a vector
  std::vector<Coefficient> coefficients = {};
  Columns columns = {};        // columns of the design at the rows of the table
  std::string predictor = {};  // its part of the linear predictor
  std::string centre = {};  // centre that is subtracted; empty if the predictor is centred itself
  // A prior of several terms computes the coefficients from parameters of its own, so that they are neither declared nor have
  // priors; it may also state their distribution itself.
  bool is_computed = false, has_shared_prior = false;

  // True if all its priors are of positive numbers, which then is a bound of the coefficients.
  bool is_positive() const;
};

struct SharedPriorContext {
  SpecialContext names;
  std::vector<TermBlock*> terms = {};
  double unit = 1.0;  // the outcome's sd on the scale of the linear predictor
  double residual_sd =
      1.0;  // sd of a row around the predictor in these units, as known before the fit
  Index num_rows = 0;

  Index num_coefficients() const;
  // For each coefficient, the change of a coefficient that moves the outcome by one unit with one sd of its column: a vector of
  // the program's constants.
  std::string scales(const std::string& of) const;
  // Lines that take the coefficients of the terms from one vector, in order.
  std::vector<std::string> parts_of(const std::string& vector) const;
};

struct SharedPriorRow {
  std::string_view name, words;
  std::vector<std::string_view> labels;  // options, numbers
  SpecialBlock (*make)(const Expression& call, SharedPriorContext& context);
};

std::span<const SharedPriorRow* const> shared_prior_rows();  // alphabetical
const SharedPriorRow* find_shared_prior(std::string_view name);
// The number that a call gives an option, or the default.
double option_of(const Expression& call, std::string_view label, double otherwise);

}  // namespace credo::models
