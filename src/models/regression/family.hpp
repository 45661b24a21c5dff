// A family of outcomes: a row says which outcomes it takes, its links, parameters, the statement of a program and how that is drawn.
#pragma once
#include "models/formula/frame.hpp"

namespace credo::models {

// Texts that the statement of a family is made of.
struct FamilyText {
  std::string outcome, eta;  // the outcome, the linear predictor
  std::string link;
  std::string mean = {};                                            // the inverse link of eta
  std::vector<std::string> etas = {};                               // if there are several
  std::string trials = {};                                          // a column or a number
  std::string decision = {};                                        // 1 or 0 of dec()
  std::string threshold = "threshold";                              // those of the row
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
  std::string element = {};  // in the program, if that has another name
  // Rows of the table: output of the program, name. Empty: the number itself.
  std::vector<std::pair<std::string, std::string>> rows = {};
  std::size_t column = 0;                // number of the outcome's column that it belongs to
  std::string_view why_no_formula = {};  // empty: it may have one

  const std::string& in_program() const { return element.empty() ? name : element; }
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
// The names in parentheses: "mixture(normal, student)".
std::vector<std::string> components_in(const std::string& text);

// Linear predictors of the location.
enum class Locations {
  one,
  but_first,   // for each category or column but the first, relative to that
  columns,     // for each column of the outcome
  components,  // for each component of a mixture
};

// Scale on which priors are stated.
enum class PriorScale {
  outcome,    // scale of the outcome, where its link is the identity
  logarithm,  // that of the outcome's logarithm
  unit,       // 1: links
  none,       // the outcome doesn't say where the linear predictor is: a drift, a hazard
};

using FamilyWriter = std::function<std::string(const FamilyText&)>;

struct FamilyRow {
  std::string_view name;
  std::vector<std::string_view> links;  // the default first
  ColumnRole role;                      // of the outcome
  PriorScale scale;
  std::vector<FamilyParameter> parameters;
  // Why a value can't be an outcome; empty if it can. `trials`: 0 without.
  std::function<std::string(double value, double trials)> why_not;
  // Distribution behind the ~ .
  FamilyWriter distribution;
  // The outcome of row n, drawn; its texts are those of one row.
  FamilyWriter draw;
  // Expected outcome of a row.
  FamilyWriter expected;
  // Variance of the outcome of a row, for R2; null: that of the residuals takes its place.
  FamilyWriter variance = nullptr;
  bool needs_trials = false;
  bool is_ordinal = false;                   // thresholds in the place of the intercept
  std::string_view words;                    // "normal outcome"
  std::vector<StanFunction> functions = {};  // that its program defines, those that are called
  // Each row has a statement of its own: the distribution's arguments are numbers.
  bool is_by_row = false;
  std::vector<std::string_view> row_links = {};  // links that need a statement for each row
  // Distribution of one row by a name that has _lcdf and _lccdf, for cens() and trunc(); null: the program has no such
  // functions.
  FamilyWriter tail = nullptr;
  // Probabilities of the categories of one row, a vector; null or an empty text: those of thresholds of the link.
  FamilyWriter probabilities = nullptr;
  // Thresholds in any order; false: each one above the last.
  bool has_free_thresholds = false;
  Locations locations = Locations::one;
  // The outcome has several columns, cbind(a, b, c). Its rows are vectors, or arrays of counts; the draw and the expectation, too.
  bool has_columns = false;
  // Why the numbers of one row can't be an outcome; empty if they can.
  std::string (*why_not_together)(const std::vector<double>& row, double trials) = nullptr;
  std::vector<std::string> quantities = {};  // lines of generated quantities
  bool needs_decision = false;               // y | dec(response)
  // Constants of the program, and lines of transformed data, that are computed from the outcomes. Empty, or why that can't be done.
  std::string (*prepare)(const std::vector<double>& outcomes, StanParts& parts) = nullptr;
  bool has_equal_components = false;  // a mixture of one family

  bool is_categorical() const { return locations == Locations::but_first && !has_columns; }
  bool has_categories() const { return is_ordinal || is_categorical(); }
};

std::span<const FamilyRow* const> family_rows();  // alphabetical
const FamilyRow* find_family(std::string_view name);
std::vector<std::string> link_names();
// Inverse of a link: "exp(eta)".
std::string inverse_link(std::string_view link, const std::string& eta);
double link_value(std::string_view link, double mean);

}  // namespace credo::models
