// Frequencies of whole outcomes: bars of the observed values, with intervals of the replicated ones.
#include <fmt/format.h>

#include "base/error.hpp"
#include "report/kinds.hpp"

namespace credo::report {
namespace {
constexpr double kMostBars = 40.0;

// Bars at low, low + width, ...; each counts `width` values.
struct Bins {
  double low = 0.0, width = 1.0;
  std::size_t count = 1;
  double middle(std::size_t k) const {
    return low + width * static_cast<double>(k) + 0.5 * (width - 1.0);
  }
};

Bins bins_of(const results::Replicated& one) {
  double low = kInfinity, high = -kInfinity;
  const auto reach = [&](const std::vector<double>& values) {
    for (const double v : values) low = std::min(low, v), high = std::max(high, v);
  };
  reach(one.observed);
  for (const std::vector<double>& draw : one.draws) reach(draw);
  const double values = high - low + 1.0;
  Bins bins{.low = low, .width = std::ceil(values / kMostBars)};
  bins.count = static_cast<std::size_t>(std::ceil(values / bins.width));
  return bins;
}

Series counts_in(const Bins& bins, std::span<const double> values) {
  Series counts(bins.count, 0.0);
  for (const double v : values)
    counts[static_cast<std::size_t>((v - bins.low) / bins.width)] += 1.0;
  return counts;
}

Panel bars_panel(const results::Replicated& one) {
  const Bins bins = bins_of(one);
  Panel panel{.title = one.name,
              .x = {.label = "value", .is_whole = true},
              .y = {.label = "how often", .low = 0.0, .is_whole = true}};
  if (bins.width > 1.0) panel.x.label = fmt::format("value, {} in a bar", bins.width);
  Mark bars{.kind = Mark::Kind::bars, .role = Role::observed};
  IntervalMarks intervals(Mark::Kind::spans, "90 % of the replicates");
  const Series observed = counts_in(bins, one.observed);
  std::vector<Series> replicated;
  for (const std::vector<double>& draw : one.draws) replicated.push_back(counts_in(bins, draw));
  Series own(replicated.size());
  for (std::size_t k = 0; k < bins.count; ++k) {
    for (std::size_t s = 0; s < own.size(); ++s) own[s] = replicated[s][k];
    const double middle = bins.middle(k), half = 0.4 * bins.width;
    bars.x.push_back(middle - half), bars.x2.push_back(middle + half);
    bars.y.push_back(0.0), bars.y2.push_back(observed[k]);
    intervals.add(middle, quantiles_of(own));
  }
  panel.marks = {std::move(bars), std::move(intervals.wide), std::move(intervals.narrow)};
  return panel;
}

Picture draw_bars(const Material& material, std::span<const Index>) {
  Picture picture{
      .kind = "bars",
      .title = "Predictive check: counts of values",
      .words =
          "How often each value was observed (bars), with the central 50 % and 90 % of "
          "how often it is among data that the model draws. The intervals of all values "
          "hold for each by itself."};
  for (const results::Replicated& one : material.replicates())
    if (one.is_whole && !one.observed.empty()) picture.panels.push_back(bars_panel(one));
  if (picture.panels.empty())
    throw Error(ErrorCode::usage, "no outcome is a whole number", material.subjects()[0].name,
                "credo plot fit.nc overlay shows densities of real outcomes");
  picture.columns = std::min<Index>(2, ssize(picture.panels));
  return picture;
}
}  // namespace

extern const PictureKind bars_picture{
    .name = "bars",
    .summary = "how often each value of whole outcomes is observed and drawn",
    .draw = draw_bars};

}  // namespace credo::report
