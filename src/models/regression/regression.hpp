// A regression from a formula and a table: reads both, and writes a Stan program with its constants (docs/design/regression.md).
//
//   FormulaFaults faults;
//   const Regression made = make_regression(request, text_of, faults);
//   if (faults.empty()) run(made.program, made.constants, made.recipe);
#pragma once
#include "io/data/data_recipe.hpp"
#include "models/formula/design.hpp"
#include "models/regression/family.hpp"

namespace credo::models {

struct RegressionRequest {
  std::string formula;
  std::string family = "auto", link = {};  // auto: by the outcome; the link: the family's default
  std::string preset = "default";          // default, brms, rstanarm, flat
  std::vector<std::string> priors = {};    // "Days ~ normal(0, 20)"
  bool centred = false;
  io::DataRecipe data = {};                                // files and how they are read
  std::function<bool(const std::string&)> is_usable = {};  // as a name in programs
};

struct Coefficient {
  std::string name;        // as in R: "period2"
  std::string element;     // in the program: "b_period[1]"
  std::string prior = {};  // a distribution; empty: flat
};

// Coefficients of a term.
struct TermBlock {
  std::string text, parameter;
  bool is_number = false;  // a single coefficient, else a vector
  std::vector<Coefficient> coefficients = {};
  std::string predictor = {};  // its part of the linear predictor
  std::string centre =
      {};  // centre that is subtracted; empty if the predictor is centred itself
};

// Effects of the levels of a group.
struct GroupBlock {
  std::string label;                 // "Subject", "g1:g2"
  std::vector<std::string> columns;  // codes of the grouping columns, in the program
  std::string codes, size, sd, root, z, effects, correlations;  // names in the program
  std::vector<std::string> levels;
  std::vector<Coefficient>
      deviations;                      // a standard deviation for each column, by the column's name
  std::string correlation_prior = {};  // empty: flat
  bool is_correlated = false;
  // Part of the linear predictor, where {} stands for the name of the effects.
  std::string predictor;
  std::string lookup = {};  // for combinations: a constant with the code of each pair of levels

  Index num_columns() const { return ssize(deviations); }
};

struct Outcome {
  std::string text;               // "log(y)"
  std::string name, declaration;  // in the program
  std::string expression;         // name, or a variable of transformed data
  std::string trials = {};        // a column or a number
  std::string trials_column = {};
  std::vector<double> values = {};
  Index num_levels = 0;  // levels of ordered outcomes
  std::string levels_name = {};
  std::vector<std::string> level_names = {};
  std::string level = {};     // the one of two texts that is 1
  std::string function = {};  // of log(y): log
};

struct Regression {
  std::string formula;
  const FamilyRow* family = nullptr;
  std::string link;
  Outcome outcome;
  bool has_intercept = true, is_centred = false;  // is_centred: columns less their means
  bool effects_are_centred = false;     // --centred: effects are parameters, not standard normals
  std::string intercept_prior;          // for thresholds: prior of each one
  std::vector<Coefficient> parameters;  // of the family
  std::vector<TermBlock> terms;
  std::vector<GroupBlock> groups;
  std::vector<std::string> offsets;   // expressions
  std::vector<Expression> rates;      // exposures
  std::vector<UsedColumn> columns;
  StanParts parts;
  Index num_rows = 0, num_dropped = 0;
  Design design;
  std::map<std::string, std::vector<std::string>> levels = {};  // levels of the columns that are factors
  std::set<std::string> fixed_factors =
      {};  // codes of factors with coefficients: new levels have none
  std::map<std::string, double> scales = {};  // sds of columns of numbers in groups, by name

  std::string program, constants;  // texts
  io::DataRecipe recipe;           // with columns; without the file of the constants
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
void add_population(Regression& made, Frame& frame);
void add_groups(Regression& made, const std::vector<GroupTerm>& groups, Frame& frame);
// `offsets`: their sum for each row; empty without offsets.
void set_priors(Regression& made, const RegressionRequest& request, std::span<const double> offsets,
                FormulaFaults& faults);
// The program; for predictions with rows of another table, whose effects of new levels are drawn.
std::string program_text(const Regression& made, bool is_prediction = false);
std::string constants_text(std::span<const ProgramConstant> constants);
// Matrix or vector of a term in the program, before centring.
struct TermMatrix {
  std::string stan;
  bool is_matrix = false;
};
TermMatrix matrix_of(const DesignTerm& term, const Design& design, StanParts& parts,
                     ProgramNames& names);

}  // namespace credo::models
