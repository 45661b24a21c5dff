#include <fmt/format.h>

#include "io/number_text.hpp"
#include "models/series/series.hpp"

namespace credo::models {
extern const SeriesRow ar_series, changepoints_series, cycle_series, dynamic_series,
    harmonics_series, holiday_series, level_series, season_series, semitrend_series, trend_series;

std::span<const SeriesRow* const> series_rows() {
  static constexpr std::array kRows{
      &ar_series,      &changepoints_series, &cycle_series,  &dynamic_series,   &harmonics_series,
      &holiday_series, &level_series,        &season_series, &semitrend_series, &trend_series};
  return kRows;
}
const SeriesRow* find_series_row(std::string_view name) {
  for (const SeriesRow* row : series_rows())
    if (row->name == name) return row;
  return nullptr;
}

std::string SeriesContext::number(double x) const { return fmt::format("{:.4g}", x); }
std::string SeriesContext::exact(double x) const { return io::number_text(x); }

SeriesParameter SeriesContext::state_sd(const std::string& key, double share) const {
  const std::string element = take("sd", key);
  return {.name = fmt::format("sd({})", key),
          .declaration = "real<lower=0> " + element,
          .element = element,
          .prior = prior(fmt::format("exponential({})", number(1.0 / (share * sd)))),
          .kind = SeriesPriorKind::state_sd};
}

SeriesEntry SeriesContext::start_of(Index state, double start_sd) const {
  return {.row = state, .col = state, .text = number(start_sd * start_sd)};
}

double mean_of(std::span<const double> values) {
  double sum = 0.0, count = 0.0;
  for (const double x : values)
    if (!std::isnan(x)) sum += x, count += 1.0;
  return sum / count;
}
double sd_of(std::span<const double> values) {
  const double mean = mean_of(values);
  double squares = 0.0, count = 0.0;
  for (const double x : values)
    if (!std::isnan(x)) squares += (x - mean) * (x - mean), count += 1.0;
  return count < 2.0 ? 0.0 : std::sqrt(squares / (count - 1.0));
}

bool series_numbers(const Expression& call, const SeriesContext& context, std::size_t least,
                    std::size_t most, std::vector<double>& numbers) {
  for (const Expression& part : call.parts) {
    const auto number =
        part.kind == Expression::Kind::number ? io::parse_number(part.word) : std::nullopt;
    if (number) numbers.push_back(*number);
  }
  if (numbers.size() == call.parts.size() && numbers.size() >= least && numbers.size() <= most)
    return true;
  const SeriesRow* row = find_series_row(call.word);
  context.faults.add(call.place, fmt::format("{} has other arguments", call.text()),
                     fmt::format("write {}", row->usage));
  return false;
}

// Less its mean over the fit, so that the level's prior, which is about the first outcome, doesn't depend on the column's origin.
std::optional<SeriesComponent> static_component(const Expression& e, const SeriesContext& context) {
  std::vector<double> values = context.values_of(e);
  if (values.empty()) return std::nullopt;
  const auto fitted = std::span(values).first(static_cast<std::size_t>(context.axis.num_times));
  const double sd = sd_of(fitted), mean = mean_of(fitted);
  if (!(sd > 0.0)) {
    context.faults.add(
        e.place,
        fmt::format("{} is the same at all times of the fit, so it explains nothing", e.text()),
        "leave the term out");
    return std::nullopt;
  }
  const std::string key = io::name_for_programs(e.text()), name = context.take("b", key);
  for (double& x : values) x -= mean;
  SeriesComponent made{.label = e.text(), .key = key};
  made.coefficients = name;
  made.columns = {std::move(values)};
  made.covariate = e.text();
  made.parameters = {{.name = e.text(),
                      .declaration = fmt::format("vector[1] {}", name),
                      .element = name,
                      .prior = context.prior(
                          fmt::format("normal(0, {})", context.number(context.coefficient_sd(sd)))),
                      .names = {e.text()}}};
  return made;
}

void note_weights(Series& made) {
  for (const SeriesComponent& part : made.components) {
    if (part.weights.empty()) continue;
    const auto fitted = std::span(part.weights).first(static_cast<std::size_t>(made.axis.num_times));
    const double mean = mean_of(fitted);
    if (std::abs(mean) > 2.0 * sd_of(fitted))
      made.notes.push_back(
          fmt::format("{0} has the mean {1:.4g}, far from 0, where the level is: subtract it, "
                      "dynamic(I({0} - {1:.4g})), or take --start diffuse",
                      part.covariate, mean));
  }
}

SeriesComponent intercept_component(const SeriesContext& context) {
  const std::string name = context.names.take("intercept");
  SeriesComponent made{.label = "intercept", .key = "intercept", .is_level = true};
  made.coefficients = name;
  made.columns = {std::vector<double>(static_cast<std::size_t>(context.num_times), 1.0)};
  made.parameters = {
      {.name = "intercept",
       .declaration = fmt::format("vector[1] {}", name),
       .element = name,
       .prior = context.prior(fmt::format("normal({}, {})", context.exact(context.first),
                                          context.number(2.5 * context.sd))),
       .names = {"intercept"}}};
  return made;
}

}  // namespace credo::models
