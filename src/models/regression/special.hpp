// Special terms of a formula: s(x), mo(x), ... A row says which columns a term uses and writes its lines of the program.
#pragma once
#include "models/formula/frame.hpp"
#include "models/regression/coefficient.hpp"
#include "models/regression/missing_column.hpp"

namespace credo::models {

// A parameter of a special term with the prior of each preset; {} stands for the outcome's sd on the scale of the linear predictor.
struct SpecialPrior {
  Coefficient coefficient;
  std::string prior = {}, brms = {}, rstanarm = {};
  bool is_slope = false;    // has the prior of slopes instead
  double brms_units = 1.0;  // in brms's prior {} is so many of brms's scales
  bool is_shown = true;     // its coefficient is a row of the table
};

// Numbers of a column for which a term is known.
struct KnownRange {
  std::string column;  // in the program
  double first = 0.0, last = 0.0;
  bool is_needed = true;  // rows outside are refused; false: they are named
  std::string words = "where the fit has data";
};

// Rows of a normal outcome that depend on each other: what changes in its statement. {eta} and {sigma} stand for the linear
// predictor and the standard deviation of all rows, {y} for the outcome.
struct ResidualStructure {
  std::string mean = {};       // the mean of each row, given the rows before it
  std::string statement = {};  // in the place of the statement of all rows
  std::string draw = {};       // statement by which predictions draw all rows: "outcome = ..."

  bool is_there() const { return !draw.empty(); }
};

// Lines that a special term adds to a program. They have neither indents nor semicolons.
struct SpecialBlock {
  std::string text = {};                      // "mo(income)"
  std::vector<std::string> parameters = {};   // "simplex[3] simplex_income"
  std::vector<std::string> transformed = {};  // of parameters: "vector[9] w_age = ..."
  std::vector<std::string> statements =
      {};  // in the model block, beside the priors: "z_age ~ std_normal()"
  std::vector<std::string> quantities = {};  // generated quantities of the fit
  std::vector<SpecialPrior> priors = {};     // their coefficients are rows of the table
  std::vector<Coefficient> rows = {};        // other rows of the table
  std::string predictor = {};                // its part of the linear predictor: a vector of N
  std::string prediction = {};  // its part for the rows of another table, where that is another one
  std::vector<std::string> prediction_lines = {};  // statements that this part needs
  std::vector<std::string> factors =
      {};  // codes whose new levels have no effect, so that they can't be predicted
  std::vector<KnownRange> ranges = {};  // for rows that are predicted
  ResidualStructure residuals = {};
  std::vector<std::string> series =
      {};  // codes that say which rows belong together; new ones are others
  std::vector<std::string> notes = {};  // printed below the sentence on the model
  std::string prediction_note = {};     // printed with predictions
  std::string words = {};               // how it was read, for --explain
};

// Names and constants for a special term.
struct SpecialContext {
  Frame& frame;
  StanParts& parts;
  std::string prefix;         // begins names, for parameters with formulas of their own: "sigma_"
  std::size_t predictor = 0;  // its number
  std::set<std::string> slopes = {};  // columns whose numbers have a coefficient already
  std::span<const double> outcome =
      {};  // on the scale of the predictor; empty if it has another one
  std::span<const MissingColumn> missing = {};  // columns whose missing cells are parameters
  // Why rows can't depend on each other here: the family, or other modifiers of the outcome; empty if they can.
  std::string no_residuals = {};

  // A name of the program: "z" of the term of age is z_age, z_sigma_age.
  std::string name(const std::string& kind, const std::string& of) const {
    return frame.names().take(kind + "_" + prefix + of);
  }
};

struct SpecialRow {
  std::string_view name, words;  // "mo", "a monotonic effect"
  std::string_view usage;        // "mo(x): x has whole numbers or ordered levels"
  // Registers the columns of the call. False, with faults, if it isn't one.
  bool (*use)(const Expression& call, Frame& frame);
  // After the rows are set and use() was true. Nullopt, with faults, if the table can't have the term.
  std::optional<SpecialBlock> (*make)(const Expression& call, SpecialContext& context);
  std::vector<StanFunction> functions = {};  // defined in its program
};

std::span<const SpecialRow* const> special_rows();  // alphabetical
const SpecialRow* find_special(std::string_view name);

}  // namespace credo::models
