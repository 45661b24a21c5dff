// Calibration: the places of observed values among their replicates, whose distribution function stays within a band where
// they are uniform [sailynoja2022].
#include <fmt/format.h>

#include "diagnose/ecdf_band.hpp"
#include "report/kinds.hpp"

namespace credo::report {
namespace {
constexpr Index kCalibrationPoints = 100;
constexpr std::size_t kMostPlaces = 1000;  // the band's cost is quadratic
constexpr double kInside = 0.95;

Series spread(const Series& values) {
  if (values.size() <= kMostPlaces) return values;
  Series some;
  for (std::size_t k = 0; k < kMostPlaces; ++k)
    some.push_back(values[k * values.size() / kMostPlaces]);
  return some;
}

// The distribution function less that of uniform numbers.
Panel calibration_panel(const results::PredictiveCheck& check) {
  const Series places = spread(check.places);
  const diagnose::EcdfBand band = diagnose::ecdf_band(ssize(places), kCalibrationPoints, kInside);
  const std::vector<Index> counts = diagnose::ecdf_counts(places, kCalibrationPoints);
  Mark area{.kind = Mark::Kind::area, .role = Role::reference, .label = "95 % band"},
      line{.kind = Mark::Kind::line, .role = Role::posterior, .label = "observed values"};
  for (std::size_t k = 0; k < counts.size(); ++k) {
    const double at = static_cast<double>(k + 1) / kCalibrationPoints;
    const auto share = [&](Index count) {
      return static_cast<double>(count) / static_cast<double>(places.size()) - at;
    };
    area.x.push_back(at), line.x.push_back(at);
    area.y2.push_back(share(band.lower[k])), area.y.push_back(share(band.upper[k]));
    line.y.push_back(share(counts[k]));
  }
  Panel panel{.title = fmt::format("{}: p-value {:.3f}", check.name,
                                   diagnose::ecdf_p_value(places, kCalibrationPoints)),
              .x = {.label = "place among the replicates", .low = 0.0, .high = 1.0},
              .y = {.label = "share below, less the place"}};
  panel.marks = {std::move(area), std::move(line)};
  return panel;
}

Picture draw_calibration(const Material& material, std::span<const Index>) {
  Picture picture{.kind = "calibration",
                  .title = "Calibration",
                  .words =
                      "The share of observed values at or below each place among their replicates, "
                      "less the place: near "
                      "zero where predictions are calibrated, within the band everywhere in 95 % "
                      "of such cases. A line "
                      "that falls, then rises means predictions that are too wide, as they are for "
                      "data that were "
                      "fitted with many parameters; one that rises, then falls, too narrow ones."};
  for (const results::Replicated& one : material.replicates())
    if (!one.observed.empty())
      picture.panels.push_back(
          calibration_panel(results::check_replicated(one, material.fit().num_chains(), {})));
  picture.columns = std::min<Index>(2, ssize(picture.panels));
  return picture;
}
}  // namespace

extern const PictureKind calibration_picture{
    .name = "calibration",
    .summary = "whether observed values lie evenly among their replicates",
    .draw = draw_calibration};

}  // namespace credo::report
