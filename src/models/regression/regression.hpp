// A regression from a formula and a table: reads both, and writes a Stan program with its constants (docs/design/regression.md).
//
//   FormulaFaults faults;
//   const Regression made = make_regression(request, text_of, faults);
//   if (faults.empty()) run(made.program, made.constants, made.recipe);
#pragma once
#include "io/data/data_recipe.hpp"
#include "models/formula/design.hpp"
#include "models/regression/family.hpp"
#include "models/regression/group_block.hpp"
#include "models/regression/modifiers.hpp"
#include "models/regression/shared_prior.hpp"

namespace credo::models {

struct RegressionRequest {
  std::string formula;
  std::string family = "auto", link = {};  // auto: by the outcome; the link: the family's default
  std::string preset = "default";          // default, brms, rstanarm, flat
  std::vector<std::string> priors = {};    // "Days ~ normal(0, 20)"
  bool centred = false;
  bool nonlinear = false;    // the first right side is an expression of columns and parameters
  io::DataRecipe data = {};  // files and how they are read
  std::function<bool(const std::string&)> is_usable = {};  // a name of programs
  // Distributions of real numbers that a program can name; none: not checked.
  std::vector<std::string> distributions = {};
};

// A linear predictor: that of the outcome's location, or of a parameter of the family that has a formula of its own.
struct Predictor {
  std::string parameter = {};     // "sigma"; empty: the location
  std::string link = "identity";  // its inverse is applied to the sum of the parts
  std::string variable = "eta";   // name of the vector in the program
  TermList list = {};             // the formula, read
  Design design = {};
  std::string category =
      {};  // category, column or component that it is the predictor of; empty: the outcome
  std::size_t column = 0;  // number of the outcome's column that it is the location of
  bool has_intercept = true, is_centred = false;  // is_centred: columns less their means
  std::string intercept = "intercept", intercept_at_zero = "intercept_at_zero";
  std::string intercept_prior = {};  // for thresholds: prior of each one
  std::vector<TermBlock> terms = {};
  std::vector<SpecialBlock> specials =
      {};  // priors of several terms are the last ones; they have no part of the sum
  std::vector<std::string> offsets = {};   // expressions
  std::vector<double> offset_values = {};  // their sum at each row; empty without offsets
  // Parts of nonlinear formulas: the location's expression of other predictors, in the program; for each of those the size of
  // its values by the prior that a user states, 0 if that is unknown.
  std::string expression = {};
  bool is_nonlinear = false;
  double unit = 1.0;
  std::vector<double> observed =
      {};  // values of the column that it is the mean of; empty: it is another one

  bool is_location() const { return parameter.empty() || !category.empty(); }
  // The names of its coefficients in tables and programs begin with it: "sigma_", or nothing.
  std::string prefix() const { return parameter.empty() ? "" : parameter + "_"; }
};

struct Outcome {
  std::string text;               // "log(y)"
  std::string name, declaration;  // in the program
  std::string expression;         // name, or a variable of transformed data
  // Names in the program of the columns of cbind(a, b, c), and their values; empty for an outcome of one column.
  std::vector<std::string> columns = {};
  std::vector<std::vector<double>> column_values = {};
  std::string means = {};   // their linear predictors together, in the program
  std::string trials = {};  // a column or a number
  std::string trials_column = {};
  std::vector<double> values = {};
  Index num_levels = 0;  // levels of ordered outcomes
  std::string levels_name = {};
  std::vector<std::string> level_names = {};
  std::string level = {};     // the one of two texts that is 1
  std::string function = {};  // of log(y): log
  OutcomeModifiers modifiers = {};
  std::set<std::string> fit_columns = {};  // columns that no prediction needs
  bool is_in_terms = false;                // its earlier rows are in a term: y ~ lag(y)

  bool is_column(const std::string& used) const {
    return used == name || std::ranges::find(columns, used) != columns.end();
  }
};

// A parameter of the family that isn't estimated: texts for all rows, and for row n.
struct KnownParameter {
  std::string all, row;

  // For the rows of an index: "[n]", "[seen]", or nothing for all rows.
  std::string of(const std::string& index) const {
    return index == "[n]" ? row : row == all ? all : all + index;
  }
};

struct Regression {
  std::string formula;
  const FamilyRow* family = nullptr;
  std::shared_ptr<const FamilyRow> own_family = {};  // if the family is made for this formula
  Outcome outcome;
  std::vector<Predictor> predictors = std::vector<Predictor>(1);  // the location's first
  std::string ordered_intercepts =
      {};  // name of the intercepts of a mixture's components in the program
  std::vector<GroupBlock> groups;
  std::vector<MissingColumn> missing = {};
  bool effects_are_centred = false;     // --centred: effects are parameters, not standard normals
  std::vector<Coefficient> parameters;  // parameters of the family without a formula
  std::map<std::string, KnownParameter, std::less<>> known = {};
  std::vector<Expression> rates;  // exposures
  std::vector<UsedColumn> columns;
  StanParts parts;
  Index num_rows = 0, num_dropped = 0;
  Index num_without_earlier = 0;  // rows without an earlier row that a lag needs
  std::map<std::string, std::vector<std::string>> levels =
      {};                             // levels of the columns that are factors
  std::vector<Lag> lags = {};         // earlier rows that columns use
  std::set<std::string> series = {};  // codes of columns that say which rows are one series
  std::set<std::string> fixed_factors =
      {};  // codes of factors with coefficients: new levels have none

  std::vector<std::string> notes = {};  // sentences on the table, without a full stop
  std::string program, constants;       // texts
  io::DataRecipe recipe;                // with columns; without the file of the constants

  std::size_t num_locations() const {
    return static_cast<std::size_t>(std::ranges::count_if(predictors, &Predictor::is_location));
  }
  // Values of the outcome, or of one of its columns.
  const std::vector<double>& values_of(std::size_t column) const {
    return outcome.columns.empty() ? outcome.values : outcome.column_values[column];
  }
  Predictor& location() { return predictors[0]; }
  const Predictor& location() const { return predictors[0]; }
  const std::string& link() const { return predictors[0].link; }
  // The predictor of a parameter of the family; null if it is one number.
  const Predictor* predictor_of(std::string_view parameter) const;
  // Numbers of the predictors, those that others are computed from first.
  std::vector<std::size_t> order_of_predictors() const;
  // How the rows of the outcome depend on each other; null: they don't.
  const ResidualStructure* residuals() const;
  // True for a constant by which a program finds the groups of rows; predictions get these themselves.
  bool is_lookup(const std::string& constant) const;
  // True for a parameter of the family that is one number to be estimated.
  bool is_single(std::string_view parameter) const {
    return predictor_of(parameter) == nullptr && !known.contains(parameter);
  }
};

// `text_of`: contents of the table's files. Faults are added; then the result is not complete.
Regression make_regression(const RegressionRequest& request,
                           const std::function<const std::string&(const std::string&)>& text_of,
                           FormulaFaults& faults);

// A request as a text, which a result keeps.
std::string to_json(const RegressionRequest& request);
RegressionRequest parse_request(std::string_view text, const std::string& source);

// The sentence on the model, and lines on its priors.
std::string words_of(const Regression& regression);
std::string prior_words(const Regression& regression);
// Rows of a table in order: the element of the program ("b_period.1"), and its name in the formula ("period2").
std::vector<std::pair<std::string, std::string>> table_names(const Regression& regression);
// How the formula was read: a line for each term.
std::string explanation(const Regression& regression);

// ---- parts of the making, in files of their own
// Gives each category, column or component its linear predictor; those with a formula of their own are in `own`, by name. After the
// outcome is taken.
void add_locations(Regression& made, const std::map<std::string, TermList>& own, Frame& frame);
// y1 ~ x; y2 ~ z has the outcome mv(y1, y2), with a formula for each.
void join_outcomes(Formula& formula, const RegressionRequest& request, const Frame& frame);
// Predictions have no outcomes, so that no formula may have one of several as a term.
void refuse_outcomes_as_terms(const Regression& made, const Formula& formula,
                              FormulaFaults& faults);
// True for the left side of a formula of one category, column or component: muB ~ x.
bool is_location(const Regression& made, const Expression& left);
// Name of a predictor of the location: "muB" of the category B.
std::string location_name(const FamilyRow& family, const std::string& category);
// Terms and special terms of a predictor, by its number.
void add_population(Regression& made, std::size_t predictor, Frame& frame);
void add_specials(Regression& made, std::size_t predictor, Frame& frame);
void add_shared_priors(Regression& made, std::size_t predictor, Frame& frame);
// The sd of the outcome on the scale of a linear predictor; 1 behind a link.
double predictor_unit(const Regression& made, std::size_t predictor);
// Groups of all predictors.
void add_groups(Regression& made, Frame& frame);
void set_priors(Regression& made, const RegressionRequest& request, FormulaFaults& faults);
// The program of the fit; that of predictions for the rows of another table, whose effects of new levels are drawn.
std::string program_text(const Regression& made);
std::string prediction_text(const Regression& made);
std::string constants_text(std::span<const ProgramConstant> constants);
// Matrix or vector of a term in the program, before centring.
struct TermMatrix {
  std::string stan;
  bool is_matrix = false;
};
TermMatrix matrix_of(const DesignTerm& term, const Design& design, StanParts& parts,
                     ProgramNames& names);

}  // namespace credo::models
