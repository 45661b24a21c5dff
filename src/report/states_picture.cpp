#include "report/states_picture.hpp"

#include <fmt/format.h>

namespace credo::report {
namespace {
constexpr Index kMostElements = 8, kMostOutcomes = 4;
constexpr double kPanelHeight = 150.0;

Series times_of(Index num_times, Index first = 0) {
  Series times(static_cast<std::size_t>(num_times));
  std::iota(times.begin(), times.end(), static_cast<double>(first + 1));
  return times;
}

Panel panel_of_time(std::string title) {
  return {.title = std::move(title), .x = {.label = "time", .is_whole = true}};
}

// Every step-th value, from `first` on.
Series every(std::span<const double> values, Index first, Index step) {
  Series own;
  for (Index k = first; k < ssize(values); k += step)
    own.push_back(values[static_cast<std::size_t>(k)]);
  return own;
}

// The central 90 % of an element and its median.
std::vector<Mark> band_of(const results::DistributionSeries& distribution, Index element,
                          std::string label) {
  const Index step = distribution.layout.size();
  const Series times = times_of(distribution.num_times, distribution.first_time);
  return {{.kind = Mark::Kind::area,
           .role = Role::interval,
           .x = times,
           .y = every(distribution.quantiles[2], element, step),
           .y2 = every(distribution.quantiles[0], element, step),
           .label = "90 %" + label},
          {.kind = Mark::Kind::line,
           .role = Role::posterior,
           .x = times,
           .y = every(distribution.quantiles[1], element, step),
           .label = "median" + label}};
}

Panel band_panel(const results::StateFile& file, Index element) {
  Panel panel = panel_of_time(density::bracketed_name(file.state.layout.element_name(element)));
  panel.marks = band_of(file.state, element, "");
  return panel;
}

// The observed outcomes, followed by the forecasts.
void add_outcomes(Picture& picture, const results::StateFile& file) {
  const results::Outcomes& outcomes = file.outcomes;
  const Index step = ssize(outcomes.values) / file.num_times();
  for (Index e = 0; e < std::min(step, kMostOutcomes); ++e) {
    const std::string name =
        outcomes.is_scalar ? outcomes.name : fmt::format("{}[*,{}]", outcomes.name, e + 1);
    Panel panel = panel_of_time(name + (file.forecast ? ", observed and forecast" : ", observed"));
    if (file.forecast) panel.marks = band_of(*file.forecast, e, ", forecast");
    panel.marks.push_back({.kind = Mark::Kind::points,
                           .role = Role::observed,
                           .x = times_of(file.num_times()),
                           .y = every(outcomes.values, e, step)});
    picture.panels.push_back(std::move(panel));
  }
}

void add_regimes(Picture& picture, const results::StateFile& file) {
  if (file.num_regimes == 0) return;
  Panel panel = panel_of_time("probability of each regime");
  panel.y.low = 0.0, panel.y.high = 1.0;
  for (Index k = 0; k < file.num_regimes; ++k)
    panel.marks.push_back({.kind = Mark::Kind::line,
                           .role = Role::chain,
                           .chain = k,
                           .x = times_of(file.num_times()),
                           .y = every(file.regimes, k, file.num_regimes),
                           .label = fmt::format("regime {}", k + 1)});
  picture.panels.push_back(std::move(panel));
}

void add_effective(Picture& picture, const results::StateFile& file) {
  if (file.effective.empty()) return;
  Panel panel = panel_of_time(fmt::format(
      "{} of {}",
      file.is_smoothed ? "particles that paths of a run go through," : "effective particles",
      file.num_particles));
  panel.y.low = 0.0;
  panel.marks.push_back({.kind = Mark::Kind::line,
                         .role = Role::all,
                         .x = times_of(file.num_times()),
                         .y = file.effective,
                         .label = "particles"});
  picture.panels.push_back(std::move(panel));
}

std::string words_of(const results::StateFile& file, Index num_shown) {
  std::string text = fmt::format(
      "Median and central 90 % of each element of the state, given {}, by the method {}; below "
      "them the outcomes.",
      file.is_smoothed ? "all outcomes" : "the outcomes up to the time", file.method);
  if (file.num_fit_draws > 0)
    text += fmt::format(" A mixture over {} draws of a fit.", file.num_fit_draws);
  if (file.forecast)
    text += fmt::format(" From time {} on the outcome is forecast.", file.forecast->first_time + 1);
  if (num_shown < file.state.layout.size())
    text += fmt::format(" {} of {} elements are shown: --columns names others.", num_shown,
                        file.state.layout.size());
  return text;
}
}  // namespace

Picture states_picture(const results::StateFile& file, std::span<const Index> elements) {
  std::vector<Index> shown(elements.begin(), elements.end());
  for (Index e = 0; elements.empty() && e < std::min(file.state.layout.size(), kMostElements); ++e)
    shown.push_back(e);
  Picture picture{
      .kind = "states",
      .title = fmt::format("{} of {}", file.is_smoothed ? "Smoothed states" : "Filtered states",
                           file.program),
      .words = words_of(file, ssize(shown)),
      .height = kPanelHeight};
  for (const Index e : shown) picture.panels.push_back(band_panel(file, e));
  add_outcomes(picture, file);
  add_regimes(picture, file);
  add_effective(picture, file);
  return picture;
}

}  // namespace credo::report
