// A structural time series from a formula and a table: reads both, and writes a Stan program with its data (docs/design/series.md).
//
//   FormulaFaults faults;
//   const Series made = make_series(request, text_of, faults);
//   if (faults.empty()) run(made.program, made.data);
#pragma once
#include "io/data/data_recipe.hpp"
#include "models/series/component.hpp"
#include "models/series/series_family.hpp"

namespace credo::models {

struct SeriesRequest {
  std::string formula, family = "normal";
  std::string preset = "default";        // default, bsts, flat
  std::string start = "auto";            // prior, diffuse; auto: diffuse for flat priors
  std::vector<std::string> priors = {};  // "sd(level) ~ exponential(0.1)"
  std::string time = {};                 // column of times; empty: found by its name, or rows
  io::DataRecipe data = {};
  // Rows before this place are fitted; -1: all.
  Index fitted_times = -1;
  Index last_times = -1;     // places of the table that are used at all; -1: all
  bool needs_level = false;  // a formula without a level gets one, not an intercept
  // Forecasts: times behind the fit, and the table with their columns.
  Index ahead = 0;
  io::DataRecipe future = {};
  std::function<bool(const std::string&)> is_usable = {};  // a name of programs
  std::vector<std::string> distributions = {};             // that a program can name
};

struct Series {
  std::string formula, outcome;  // "log(y)"
  bool is_plain_outcome = true;  // the outcome is a column, not computed from columns
  TimeAxis axis;                 // times of the fit
  Index num_times = 0;           // with forecasts
  std::vector<double> y;         // outcomes at all times; NaN if missing, and for forecasts
  std::vector<double> later;     // outcomes of times behind the fit, where the table has them
  std::vector<SeriesComponent> components;
  std::vector<SeriesParameter> parameters;  // those of components, and of the outcome
  std::vector<std::string> statements;      // priors
  std::string family = "normal";            // row of series_family()
  bool is_diffuse = false, is_student = false;
  std::string freedom =
      "4";          // degrees of freedom of student's distribution, in programs: a number, or nu
  double sd = 1.0;  // standard deviation of the outcomes; for counts of their linear predictors
  std::vector<Index> kinds;                   // kind of the step to each time, from 1
  std::vector<std::vector<bool>> kind_moves;  // by kind: does a component move?
  std::vector<std::string> notes;             // sentences on rows and times
  std::string program, data;                  // texts for the fit

  Index num_states() const;
  Index num_unknown() const;
  Index first_state(std::size_t component) const;
  bool design_varies() const;
  Index num_outcomes() const;
  bool is_count() const { return series_family(family).is_count; }
};

Series make_series(const SeriesRequest& request,
                   const std::function<const std::string&(const std::string&)>& text_of,
                   FormulaFaults& faults);

std::string series_program_text(const Series& made);
// The program whose generated quantities are the matrices of a draw of the fit: system_A, system_q, system_m, system_P, system_r, and
// part_1, ... for components with columns.
std::string series_system_text(const Series& made);
// The program that states the same series by the functions of docs/algorithms/filters.md, and its data. The refusal is empty if there is such
// a program.
std::string series_states_text(const Series& made);
std::string series_states_data_text(const Series& made);
std::string series_states_refusal(const Series& made);
// series_program_text() and series_system_text() of counts: states are parameters, as steps with unit variance (non-centred).
std::string series_count_text(const Series& made);
std::string series_count_system_text(const Series& made);
// Data of either: the fit's times, or with forecasts.
std::string series_data_text(const Series& made, bool with_forecasts);

// Notes for columns with coefficients that walk and a mean far from 0: such a column is taken as it is, so that the level is that at 0, which
// the prior of the first level may exclude.
void note_weights(Series& made);

// A request as a text, which a result keeps; without forecasts.
std::string to_json(const SeriesRequest& request);
SeriesRequest parse_series_request(std::string_view text, const std::string& source);

// --prior 'sd( level ) ~ exponential(0.1)': the name without spaces, and the distribution.
struct SeriesPriorText {
  std::string name, distribution;
};
SeriesPriorText read_prior(const std::string& text);
std::string without_spaces(std::string text);

// The sentence on the model, and a line for each prior.
std::string words_of(const Series& made);
// Rows of the printed table: the element of the program, and its name.
std::vector<std::pair<std::string, std::string>> table_names(const Series& made);

}  // namespace credo::models
