// Statistics of the observed data among those of data that the model draws.
#include <fmt/format.h>

#include "report/kinds.hpp"
#include "results/checks/test_statistics.hpp"

namespace credo::report {
namespace {
constexpr double kBars = 24.0;

// A single bar of all replicates, centred at their value. It is narrow relative to the axis, which shows the observed
// value, too.
void show_constant(Panel& panel, double value, std::size_t count, double observed) {
  const double distance = std::abs(observed - value);
  const double room = distance > 0.0 && std::isfinite(distance) ? distance
                      : value == 0.0                            ? 1.0
                                                                : 0.1 * std::abs(value);
  const double far = std::isfinite(observed) ? observed : value, half = 0.5 * room / kBars;
  panel.x.low = std::min(value, far) - 0.5 * room;
  panel.x.high = std::max(value, far) + 0.5 * room;
  panel.marks.push_back({.kind = Mark::Kind::bars,
                         .role = Role::replicate,
                         .x = {value - half},
                         .y = {0.0},
                         .x2 = {value + half},
                         .y2 = {static_cast<double>(count)}});
  panel.title += ", the same in all replicates";
}

Mark bars_of(std::span<const double> values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double width = (*high - *low) / kBars;
  Mark bars{.kind = Mark::Kind::bars, .role = Role::replicate};
  Series counts(static_cast<std::size_t>(kBars));
  for (const double v : values)
    counts[std::min(static_cast<std::size_t>((v - *low) / width), counts.size() - 1)] += 1.0;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    if (counts[k] == 0.0) continue;
    bars.x.push_back(*low + width * static_cast<double>(k));
    bars.x2.push_back(*low + width * static_cast<double>(k + 1));
    bars.y.push_back(0.0), bars.y2.push_back(counts[k]);
  }
  return bars;
}

Panel statistic_panel(const results::Replicated& one, const results::StatisticCheck& check) {
  const results::TestStatistic& statistic = results::find_test_statistic(check.statistic);
  Series values;
  for (const std::vector<double>& draw : one.draws) values.push_back(statistic.value(draw));
  Panel panel{.title = fmt::format("{} of {}: P(above) {:.2f}{}", check.statistic, one.name,
                                   check.tail, check.is_extreme() ? ", extreme" : ""),
              .y = {.low = 0.0, .is_hidden = true}};
  if (std::ranges::all_of(values, [&](double v) { return v == values.front(); }))
    show_constant(panel, values.front(), values.size(), check.observed);
  else
    panel.marks.push_back(bars_of(values));
  panel.marks.push_back(
      {.kind = Mark::Kind::rule_x, .role = Role::observed, .x = {check.observed}});
  return panel;
}

Picture draw_statistics(const Material& material, std::span<const Index>) {
  Picture picture{.kind = "statistics",
                  .title = "Predictive check: statistics",
                  .words =
                      "Each statistic of the data sets that the model draws (bars), and of the "
                      "observed data (line). "
                      "P(above) is how probable a replicate above the observed value is.",
                  .columns = 2,
                  .height = 130.0};
  for (const results::Replicated& one : material.replicates())
    for (const results::StatisticCheck& check :
         results::check_replicated(one, material.fit().num_chains(), {}).statistics)
      picture.panels.push_back(statistic_panel(one, check));
  return picture;
}
}  // namespace

extern const PictureKind statistics_picture{
    .name = "statistics",
    .summary = "statistics of the data among those of data that the model draws",
    .draw = draw_statistics};

}  // namespace credo::report
