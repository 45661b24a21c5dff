// A family of outcomes: a row says which outcomes it takes, its links, parameters, the statement of a program and how that is drawn.
#pragma once
#include "models/formula/frame.hpp"

namespace credo::models {

// Texts that the statement of a family is made of.
struct FamilyText {
  std::string outcome, eta;  // the outcome, the linear predictor
  std::string link;
  std::string mean = {};                                            // the inverse link of eta
  std::string trials = {};                                          // a column or a number
  std::map<std::string, std::string, std::less<>> parameters = {};  // "sigma" is sigma, or sigma[n]

  const std::string& operator[](std::string_view parameter) const {
    return parameters.find(parameter)->second;
  }
};

struct FamilyParameter {
  std::string name, declaration;  // "sigma", "real<lower=0> sigma"
  std::string
      prior;  // prior for a unit outcome: "exponential(1 / {})", where {} stands for the outcome's sd
  std::string brms, rstanarm;  // priors of these packages
  // With a formula of its own: the link of its linear predictor, the inverse of which may have a lower end, and the prior of
  // the intercept, where {} stands for the logarithm of the outcome's sd.
  std::string_view link = "log", lower = {};
  std::string_view intercept_prior = "normal(1, 1.5)";
  std::string_view brms_intercept = "student_t(3, 0, 2.5)";

  // True for a number between the bounds of the declaration.
  bool accepts(double value) const;
};

// --family "asymmetric_laplace(quantile = 0.9)".
struct FamilyRequest {
  std::string name;
  std::map<std::string, double> fixed = {};
  std::string fault = {};
};
FamilyRequest parse_family(const std::string& text);

// Scale on which priors are stated.
enum class PriorScale {
  outcome,    // scale of the outcome, where its link is the identity
  logarithm,  // that of the outcome's logarithm
  unit,       // 1: links
};

struct FamilyRow {
  std::string_view name;
  std::vector<std::string_view> links;  // the default first
  ColumnRole role;                      // of the outcome
  PriorScale scale;
  std::vector<FamilyParameter> parameters;
  // Why a value can't be an outcome; empty if it can. `trials`: 0 without.
  std::string (*why_not)(double value, double trials);
  // Distribution behind the ~ .
  std::string (*distribution)(const FamilyText&);
  // The outcome of row n, drawn; its texts are those of one row.
  std::string (*draw)(const FamilyText&);
  // Expected outcome of a row.
  std::string (*expected)(const FamilyText&);
  // Variance of the outcome of a row, for R2; null: that of the residuals takes its place.
  std::string (*variance)(const FamilyText&) = nullptr;
  bool needs_trials = false;
  bool is_ordinal = false;                   // thresholds in the place of the intercept
  std::string_view words;                    // "normal outcome"
  std::vector<StanFunction> functions = {};  // that its program defines, those that are called
  // Each row has a statement of its own: the distribution's arguments are numbers.
  bool is_by_row = false;
  std::vector<std::string_view> row_links = {};  // links that need a statement for each row
  // Distribution of one row by a name that has _lcdf and _lccdf, for cens() and trunc(); null: the program has no such
  // functions.
  std::string (*tail)(const FamilyText&) = nullptr;
  // Probabilities of the categories of one row, a vector; null or an empty text: those of thresholds of the link.
  std::string (*probabilities)(const FamilyText&) = nullptr;
  // Thresholds in any order; false: each one above the last.
  bool has_free_thresholds = false;
  // A linear predictor for each category but the first, whose probabilities are relative to it.
  bool is_categorical = false;

  bool has_categories() const { return is_ordinal || is_categorical; }
};

std::span<const FamilyRow* const> family_rows();  // alphabetical
const FamilyRow* find_family(std::string_view name);
std::vector<std::string> link_names();
// Inverse of a link: "exp(eta)".
std::string inverse_link(std::string_view link, const std::string& eta);
double link_value(std::string_view link, double mean);

}  // namespace credo::models
