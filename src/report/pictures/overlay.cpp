// Densities of real outcomes: observed data and data drawn from the model.
#include <fmt/format.h>

#include "base/error.hpp"
#include "report/kinds.hpp"

namespace credo::report {
namespace {
constexpr Index kOverlayPlaces = 120;
constexpr std::size_t kMostDensities = 50;
constexpr double kBeyond = 1.5;  // margin on each side, in widths of the observed range

// Rounds to a millionth of the range. A path is drawn to a hundredth of a pixel, and the page contains every digit of
// every line.
void shorten(Series& values) {
  if (values.empty()) return;
  const auto [low, high] = std::ranges::minmax_element(values);
  const double width = *high - *low;
  if (!(width > 0.0) || !std::isfinite(width)) return;
  const double scale = std::pow(10.0, 6.0 - std::ceil(std::log10(width)));
  if (!std::isfinite(scale * (std::abs(*low) + std::abs(*high))) || scale == 0.0) return;
  for (double& value : values) value = std::round(value * scale) / scale;
}

// Density within the range, because replicates may have long tails. Empty if the values don't vary.
Mark overlay_line(std::span<const double> values, Role role, const Range& range) {
  const Marginal marginal = marginal_of({values, ssize(values), 1}, false, kOverlayPlaces);
  Mark line{.kind = Mark::Kind::line, .role = role};
  for (std::size_t k = 0; k < marginal.all.size(); ++k) {
    const double at = marginal.at(k);
    if (at < range.low || at > range.high) continue;
    line.x.push_back(at), line.y.push_back(marginal.all[k]);
  }
  shorten(line.x), shorten(line.y);
  return line;
}

Panel overlay_panel(const results::Replicated& one) {
  const auto [low, high] = std::minmax_element(one.observed.begin(), one.observed.end());
  const double room = kBeyond * (*high - *low);
  const Range range{*low - room, *high + room};
  Panel panel{.title = one.name, .y = {.low = 0.0, .is_hidden = true}};
  const std::size_t count = std::min(kMostDensities, one.draws.size());
  for (std::size_t k = 0; k < count; ++k) {
    Mark line = overlay_line(one.draws[k * one.draws.size() / count], Role::replicate, range);
    if (!line.x.empty()) panel.marks.push_back(std::move(line));
  }
  Mark observed = overlay_line(one.observed, Role::observed, range);
  if (!observed.x.empty()) panel.marks.push_back(std::move(observed));
  return panel;
}

Picture draw_overlay(const Material& material, std::span<const Index>) {
  Picture picture{
      .kind = "overlay",
      .title = "Predictive check: densities",
      .words = fmt::format("The density of the observed values, and of each of up to {} data sets "
                           "that the model draws, each at a draw of the fit.",
                           kMostDensities)};
  for (const results::Replicated& one : material.replicates()) {
    if (one.is_whole || one.observed.size() < 2) continue;
    Panel panel = overlay_panel(one);
    if (!panel.marks.empty()) picture.panels.push_back(std::move(panel));
  }
  if (picture.panels.empty())
    throw Error(ErrorCode::usage, "no outcome is a real number that varies",
                material.subjects()[0].name, "credo plot fit.nc bars shows whole outcomes");
  picture.columns = std::min<Index>(2, ssize(picture.panels));
  return picture;
}
}  // namespace

extern const PictureKind overlay_picture{
    .name = "overlay",
    .summary = "densities of observed data and of data that the model draws",
    .draw = draw_overlay};

}  // namespace credo::report
