// A request as JSON, and sentences on a series.
#include <fmt/format.h>

#include "io/json_reader.hpp"
#include "io/json_value.hpp"
#include "io/json_writer.hpp"
#include "models/series/series.hpp"

namespace credo::models {

std::string to_json(const SeriesRequest& request) {
  io::JsonWriter json;
  json.object("formula", request.formula, "family", request.family, "preset", request.preset,
              "start", request.start, "priors", request.priors, "time", request.time,
              "fitted_times", request.fitted_times, "data", request.data.text());
  return json.text();
}

SeriesRequest parse_series_request(std::string_view text, const std::string& source) {
  const io::JsonValue json = io::parse_json_value(text, source);
  const auto word = [&](const char* name) {
    const io::JsonValue* value = json.find(name);
    return value == nullptr ? std::string() : value->as_string(name);
  };
  SeriesRequest request{.formula = word("formula"),
                        .family = word("family"),
                        .preset = word("preset"),
                        .start = word("start"),
                        .time = word("time"),
                        .data = io::parse_data_recipe(word("data"))};
  if (const io::JsonValue* priors = json.find("priors"))
    request.priors = priors->as_strings("priors");
  if (const io::JsonValue* times = json.find("fitted_times"))
    request.fitted_times = static_cast<Index>(times->as_number("fitted_times"));
  return request;
}

std::string without_spaces(std::string text) {
  std::erase(text, ' ');
  return text;
}
SeriesPriorText read_prior(const std::string& text) {
  const std::size_t sign = text.find('~');
  SeriesPriorText found{.name = without_spaces(text.substr(0, sign)), .distribution = {}};
  if (sign == text.npos) return found;
  std::string& distribution = found.distribution = text.substr(sign + 1);
  distribution.erase(0, distribution.find_first_not_of(' '));
  distribution.erase(distribution.find_last_not_of(' ') + 1);
  return found;
}

std::string words_of(const Series& made) {
  std::string words =
      fmt::format("{}: {} outcomes at {}", made.formula, made.num_outcomes(), made.axis.words());
  const Index n = made.num_states();
  if (n > 0)
    words += fmt::format("; {} state{}{}, {}", n, n == 1 ? "" : "s",
                         made.num_unknown() > 0
                             ? fmt::format(", {} of them with a diffuse start", made.num_unknown())
                             : "",
                         made.is_count() ? "drawn beside the parameters" : "integrated out");
  if (made.is_count()) words += fmt::format("; {}", series_family(made.family).words);
  words += fmt::format("; written as a program of {} lines (--write DIR)\n",
                       std::ranges::count(made.program, '\n'));
  for (const std::string& note : made.notes) words += note + "\n";
  for (const std::string& statement : made.statements) words += "  " + statement + "\n";
  return words;
}

std::vector<std::pair<std::string, std::string>> table_names(const Series& made) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const SeriesParameter& p : made.parameters) {
    if (p.element == "weight") continue;
    const bool is_vector = p.declaration.starts_with("vector");
    for (Index k = 0; k < p.size; ++k)
      rows.emplace_back(is_vector ? fmt::format("{}.{}", p.element, k + 1) : p.element,
                        !p.names.empty() ? p.names[static_cast<std::size_t>(k)]
                        : p.size == 1    ? p.name
                                         : fmt::format("{}[{}]", p.name, k + 1));
  }
  return rows;
}

}  // namespace credo::models
