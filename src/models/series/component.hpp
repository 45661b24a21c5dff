// Components of a structural time series. A row reads a call of the formula, season(12), and gives a block: either states with their
// transition, noise and start, or columns with coefficients. Blocks are written into a program by series_program.cpp.
#pragma once
#include "models/formula/frame.hpp"
#include "models/series/time_axis.hpp"

namespace credo::models {

enum class SeriesPriorKind { other, state_sd, noise_sd };

struct SeriesParameter {
  std::string name;         // "sd(level)", by which --prior replaces its prior
  std::string declaration;  // "real<lower=0> sd_level"
  std::string element;      // "sd_level"
  std::string prior = {};   // a distribution; empty: flat within its bounds
  SeriesPriorKind kind = SeriesPriorKind::other;
  Index size = 1;                       // length of a vector
  std::vector<std::string> names = {};  // names of its elements; empty: its own name
};

// Elements of a matrix: `count` of them, from (row, col) on in steps; text is their value.
struct SeriesEntry {
  Index row = 0, col = 0;  // from 0
  std::string text = "1";
  bool is_known = true;  // false: it has parameters
  Index count = 1, row_step = 0, col_step = 0;
};

struct SeriesComponent {
  std::string label, key;  // "season(12)"; "season", which ends the names of its parameters
  std::vector<SeriesParameter> parameters = {};

  // States, numbered from 0. The first one is added to the mean, times `weights` (of all times; empty: 1).
  Index num_states = 0;
  std::vector<SeriesEntry> transition = {}, start = {};   // start: covariance of the first state
  std::vector<std::pair<Index, std::string>> noise = {};  // variances of the states that have noise
  std::vector<double> mean = {};                          // mean of the first state
  std::vector<Index> unknown = {};  // states with a known start, which --start diffuse leaves open
  std::vector<double> weights = {};
  Index steps = 1;                         // the states move at each so-manieth time
  std::vector<std::string> prepared = {};  // lines before the matrices: "vector[3] parts_ar = ..."

  // Columns of all times, with a vector of coefficients.
  std::string coefficients = {};
  std::vector<std::vector<double>> columns = {};
  std::string matrix = {};     // their name in the program, as X_season
  std::string covariate = {};  // the expression of columns that it uses, as "log(x)"; empty: none
  // Spread of later changes, as an expression of the program; empty: the slope never changes. `change_rate`: changes per time of the fit.
  std::string change_scale = {};
  double change_rate = 0.0, change_unit = 1.0;  // unit: times in which a change of 1 adds 1

  bool is_level = false;  // it has a level of its own, so that no intercept is needed
  std::vector<std::string> functions = {};  // names of functions of the program
};

// Facts on the series and services for a row that makes a component.
struct SeriesContext {
  const TimeAxis& axis;  // times of the fit
  Index num_times;       // with those that are forecast
  double sd = 1.0, first = 0.0,
         largest = 1.0;     // sd of the outcomes, the first one, the largest |y|
  bool is_flat = false;     // flat priors
  bool is_prophet = false;  // coefficients have the priors of Prophet
  ProgramNames& names;
  FormulaFaults& faults;
  // Values of a column or an expression of columns at all times; NaN in rows that aren't there. Empty, with faults, if it can't be used.
  std::function<std::vector<double>(const Expression&)> values_of;
  std::function<bool(Index)> has_row;  // the tables have a row of this time

  std::string number(double x) const;  // in programs, 4 digits: for scales
  std::string exact(double x) const;   // all digits: for locations, and for numbers of the formula
  // The distribution, or nothing for flat priors.
  std::string prior(std::string text) const { return is_flat ? std::string() : text; }
  std::string take(const std::string& kind, const std::string& key) const {
    return names.take(kind + "_" + key);
  }
  // Sd of the prior of a coefficient whose column has the sd `column_sd`.
  double coefficient_sd(double column_sd) const {
    return (is_prophet ? 10.0 * largest : 2.5 * sd) / column_sd;
  }
  // A standard deviation of states, exponential with a mean of `share` sds of the outcome.
  SeriesParameter state_sd(const std::string& key, double share) const;
  // The start of a state: N(0, sd^2), or unknown.
  SeriesEntry start_of(Index state, double sd) const;
};

struct SeriesRow {
  std::string_view name, usage, words;
  // Expressions of columns that the call uses, to be registered before rows are read.
  std::vector<Expression> (*used)(const Expression& call);
  std::optional<SeriesComponent> (*make)(const Expression& call, const SeriesContext& context);
};
std::span<const SeriesRow* const> series_rows();
const SeriesRow* find_series_row(std::string_view name);

// Arguments of a call that are numbers; false, with a fault that names the usage, if others are there.
bool series_numbers(const Expression& call, const SeriesContext& context, std::size_t least,
                    std::size_t most, std::vector<double>& numbers);
// A static column less its mean over the fit, with a coefficient: any expression of columns.
std::optional<SeriesComponent> static_component(const Expression& e, const SeriesContext& context);
SeriesComponent intercept_component(const SeriesContext& context);
double sd_of(std::span<const double> values);    // NaN is left out
double mean_of(std::span<const double> values);  // NaN is left out

}  // namespace credo::models
