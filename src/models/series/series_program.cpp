// The texts of a series: the program of the fit, the program of its matrices, and their data.
#include <fmt/format.h>

#include "io/json_writer.hpp"
#include "models/series/series_writer.hpp"

namespace credo::models {
namespace {
void write_rows(io::JsonWriter& json, const std::string& name,
                const std::vector<std::vector<double>>& columns, Index rows) {
  json.key(name).begin_array();
  for (Index t = 0; t < rows; ++t) {
    json.begin_array();
    for (const std::vector<double>& column : columns)
      json.number(column[static_cast<std::size_t>(t)]);
    json.end_array();
  }
  json.end_array();
}

void write_outcomes(io::JsonWriter& json, const Series& made, const std::vector<double>& outcomes) {
  json.key("y");
  if (!made.is_count())
    json.numbers(outcomes);
  else
    json.value(std::vector<Index>(outcomes.begin(), outcomes.end()));
}

// Columns, weights of states and kinds of steps at the first `times`.
void write_columns(io::JsonWriter& json, const Series& made, Index times) {
  for (const SeriesComponent& part : made.components)
    if (!part.columns.empty()) write_rows(json, part.matrix, part.columns, times);
  if (made.design_varies()) {
    json.key("Z").begin_array();
    for (const SeriesComponent& part : made.components)
      for (Index i = 0; i < part.num_states; ++i) {
        std::vector<double> row(static_cast<std::size_t>(times), i == 0 ? 1.0 : 0.0);
        if (i == 0 && !part.weights.empty())
          row.assign(part.weights.begin(), part.weights.begin() + times);
        json.numbers(row);
      }
    json.end_array();
  }
  if (made.num_states() > 0 && made.kind_moves.size() > 1)
    json.key("kind").value(std::vector(made.kinds.begin(), made.kinds.begin() + times));
}
}  // namespace

std::string series_program_text(const Series& made) {
  return made.is_count() ? series_count_text(made) : SeriesWriter(made).program();
}
std::string series_system_text(const Series& made) {
  return made.is_count() ? series_count_system_text(made) : SeriesWriter(made).system();
}

std::string series_data_text(const Series& made, bool with_forecasts) {
  const Index times = with_forecasts ? made.num_times : made.axis.num_times, n = made.num_states();
  io::JsonWriter json;
  json.begin_object();
  if (with_forecasts) json.key("T_fit").integer(made.axis.num_times);
  json.key("T").integer(times);
  std::vector<double> outcomes;
  std::vector<Index> seen;
  for (Index t = 0; t < times; ++t) {
    const double y = made.y[static_cast<std::size_t>(t)];
    if ((n > 0 && !made.is_count()) || !std::isnan(y)) outcomes.push_back(y);
    if (!std::isnan(y)) seen.push_back(t + 1);
  }
  if (n == 0 || made.is_count()) json.key("N").integer(ssize(seen)).key("seen").value(seen);
  write_outcomes(json, made, outcomes);
  write_columns(json, made, times);
  json.end_object();
  return std::move(json).text();
}

std::string series_states_data_text(const Series& made) {
  if (!made.is_count()) return series_data_text(made, false);
  io::JsonWriter json;
  json.begin_object().key("T").integer(made.axis.num_times);
  std::vector<double> outcomes;
  std::vector<Index> observed;
  for (Index t = 0; t < made.axis.num_times; ++t) {
    const double y = made.y[static_cast<std::size_t>(t)];
    outcomes.push_back(std::isnan(y) ? 0.0 : y), observed.push_back(std::isnan(y) ? 0 : 1);
  }
  write_outcomes(json, made, outcomes);
  json.key("y_observed").value(observed);
  write_columns(json, made, made.axis.num_times);
  json.end_object();
  return std::move(json).text();
}

}  // namespace credo::models
