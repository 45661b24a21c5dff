#include "cli/tables/series_report.hpp"

#include <fmt/format.h>

#include "cli/term/terminal.hpp"

namespace credo::cli {
namespace {
using models::SeriesBand;
constexpr Index kMostForecasts = 24, kMostUnusual = 10;

std::string figure(double x) { return fmt::format("{:.6g}", x); }

std::string components_text(const SeriesReport& report) {
  const Index last = report.made.axis.num_times - 1;
  std::vector<std::vector<std::string>> rows{
      {report.made.is_count() ? "component, at the link" : "component", "share",
       fmt::format("at {}", report.made.axis.label(last)), "5 %", "95 %"}};
  for (const models::ComponentSummary& part : report.summary.components) {
    const SeriesBand& band = part.bands[static_cast<std::size_t>(last)];
    rows.push_back({part.label, fmt::format("{:.1f} %", 100.0 * part.share), figure(band.mean),
                    figure(band.q5), figure(band.q95)});
  }
  if (report.made.is_count()) return text_columns(rows);
  rows.push_back(
      {"noise", fmt::format("{:.1f} %", 100.0 * report.summary.noise_share), "", "", ""});
  return text_columns(rows);
}

std::string forecast_text(const SeriesReport& report) {
  if (report.summary.forecast.empty()) return {};
  const Index count = ssize(report.summary.forecast);
  const std::string heading = report.made.is_plain_outcome
                                  ? "forecast"
                                  : fmt::format("forecast of {}", report.made.outcome);
  std::vector<std::vector<std::string>> rows{{heading, "mean", "sd", "5 %", "95 %"}};
  for (Index k = 0; k < std::min(count, kMostForecasts); ++k) {
    const SeriesBand& band = report.summary.forecast[static_cast<std::size_t>(k)];
    rows.push_back({report.made.axis.label(report.made.axis.num_times + k), figure(band.mean),
                    figure(band.sd), figure(band.q5), figure(band.q95)});
  }
  std::string text = "\n" + text_columns(rows);
  if (count > kMostForecasts)
    text += fmt::format("and {} later ones: --tables FILE.json\n", count - kMostForecasts);
  return text;
}

bool is_unusual(const models::OneStepSummary& one) { return std::abs(one.z) > models::kUnusual; }

std::string unusual_text(const SeriesReport& report) {
  const std::string outcome = report.made.is_plain_outcome ? "outcome" : report.made.outcome;
  std::vector<std::vector<std::string>> rows{{"unusual", outcome, "predicted", "sd", "z"}};
  Index count = 0, known = 0;
  for (std::size_t t = 0; t < report.summary.one_step.size(); ++t) {
    const models::OneStepSummary& one = report.summary.one_step[t];
    known += !std::isnan(one.z);
    if (!is_unusual(one)) continue;
    if (++count <= kMostUnusual)
      rows.push_back({report.made.axis.label(static_cast<Index>(t)), figure(report.made.y[t]),
                      figure(one.mean), figure(one.sd), fmt::format("{:.1f}", one.z)});
  }
  if (count == 0)
    return fmt::format(
        "\nNone of {} outcomes is more than 3 sds from its prediction by those before it.\n",
        known);
  return "\n" + text_columns(rows) +
         fmt::format(
             "{} of {} outcomes {} more than 3 sds from the prediction by those before; of normal "
             "ones 0.27 % are.\n",
             count, known, count == 1 ? "is" : "are");
}

void add_bands(results::ArrayList::Builder group, std::vector<std::string> dims,
               const std::vector<SeriesBand>& bands) {
  const auto add = [&](const char* name, double SeriesBand::*of, const char* help) {
    std::vector<double> values;
    for (const SeriesBand& band : bands) values.push_back(band.*of);
    group.add({.name = name, .dims = dims, .help = help}, std::move(values));
  };
  add("mean", &SeriesBand::mean, "mean over draws");
  add("sd", &SeriesBand::sd, "standard deviation over draws");
  add("q5", &SeriesBand::q5, "5 % quantile"), add("q50", &SeriesBand::q50, "median"),
      add("q95", &SeriesBand::q95, "95 % quantile");
}
}  // namespace

std::string SeriesReport::text() const {
  return "\n" + components_text(*this) + forecast_text(*this) +
         (made.is_count() ? "" : unusual_text(*this));
}

results::ArrayList SeriesReport::answer() const {
  results::ArrayList list("series");
  list.set("formula", made.formula);
  list.set("draws", num_paths);
  if (!made.is_count()) list.set("noise_share", summary.noise_share);
  std::vector<std::string> times, ahead, labels;
  for (Index t = 0; t < made.num_times; ++t) times.push_back(made.axis.label(t));
  ahead.assign(times.begin() + made.axis.num_times, times.end());
  auto add = list.add_rows("components", summary.components).columns(summary.components);
  add("name", &models::ComponentSummary::label),
      add("share", &models::ComponentSummary::share, "share of the variance over time");
  // One row for each component and time, components slowest.
  std::vector<SeriesBand> bands;
  for (const models::ComponentSummary& part : summary.components) {
    labels.push_back(part.label);
    bands.insert(bands.end(), part.bands.begin(), part.bands.end());
  }
  auto paths = list.add_group("paths", {{"component", ssize(labels)}, {"time", made.num_times}},
                              {.shape = results::Shape::object});
  paths.add_labels("component", labels).add_labels("time", times);
  add_bands(paths, {"component", "time"}, bands);
  auto forecast = list.add_group("forecast", {{"time", ssize(ahead)}});
  forecast.add_labels("time", ahead);
  add_bands(forecast, {"time"}, summary.forecast);
  auto fitted = list.add_group("one_step", {{"time", made.axis.num_times}});
  fitted.add_labels("time", {times.begin(), times.begin() + made.axis.num_times});
  fitted.add({.name = "outcome", .dims = {"time"}},
             {made.y.begin(), made.y.begin() + made.axis.num_times});
  if (made.is_count()) return list;
  const auto column = [&](const char* name, double models::OneStepSummary::*of, const char* help) {
    std::vector<double> values;
    for (const models::OneStepSummary& one : summary.one_step) values.push_back(one.*of);
    fitted.add({.name = name, .dims = {"time"}, .help = help}, std::move(values));
  };
  column("predicted", &models::OneStepSummary::mean, "mean given the outcomes before");
  column("sd", &models::OneStepSummary::sd, "its standard deviation");
  column("z", &models::OneStepSummary::z, "outcome less prediction, in sds");
  return list;
}

}  // namespace credo::cli
