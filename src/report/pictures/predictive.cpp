// Data that the model draws at draws of the fit beside the data that were observed, as distribution functions.
#include <fmt/format.h>

#include "numerics/radix_sort.hpp"
#include "report/kinds.hpp"

namespace credo::report {
namespace {
constexpr std::size_t kMostSteps = 200;
constexpr std::size_t kMostLines = 50;  // replicates

// The empirical distribution function: each step, or so many of them.
Mark distribution_line(Series values, Role role) {
  numerics::sort(values);
  Mark line{.kind = Mark::Kind::line, .role = role};
  const double n = static_cast<double>(values.size());
  const std::size_t count = std::min(values.size(), kMostSteps);
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t at = k * values.size() / count, next = (k + 1) * values.size() / count;
    line.x.insert(line.x.end(), {values[at], values[at]});
    line.y.insert(line.y.end(), {static_cast<double>(at) / n, static_cast<double>(next) / n});
  }
  return line;
}

Panel predictive_panel(const results::Replicated& one) {
  Panel panel{.title = one.name, .y = {.label = "share at or below", .low = 0.0, .high = 1.0}};
  const std::size_t count = std::min(kMostLines, one.draws.size());
  for (std::size_t k = 0; k < count; ++k)
    panel.marks.push_back(
        distribution_line(one.draws[k * one.draws.size() / count], Role::replicate));
  panel.marks.push_back(distribution_line(one.observed, Role::observed));
  return panel;
}

Picture draw_predictive(const Material& material, std::span<const Index>) {
  Picture picture{
      .kind = "predictive",
      .title = "Predictive check: distribution",
      .words = fmt::format(
          "Share of the values at or below each one: of the observed data, and of up to {} "
          "data sets that the model draws, each at a draw of the fit.",
          kMostLines)};
  for (const results::Replicated& one : material.replicates())
    picture.panels.push_back(predictive_panel(one));
  picture.columns = std::min<Index>(2, ssize(picture.panels));
  return picture;
}
}  // namespace

extern const PictureKind predictive_picture{
    .name = "predictive",
    .summary = "observed data beside data that the model draws",
    .draw = draw_predictive};

}  // namespace credo::report
