// Statistics of the observed data among those of data that the model draws.
#include <fmt/format.h>

#include "report/kinds.hpp"
#include "results/checks/test_statistics.hpp"

namespace credo::report {
namespace {
constexpr double kBars = 24.0;

Mark bars_of(std::span<const double> values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double width = *high > *low ? (*high - *low) / kBars : 1.0;
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
  panel.marks = {bars_of(values),
                 {.kind = Mark::Kind::rule_x, .role = Role::observed, .x = {check.observed}}};
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
