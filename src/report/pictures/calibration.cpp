// Calibration: the places of observed values among their replicates, whose distribution function stays within a band where
// they are uniform [sailynoja2022].
#include "report/kinds.hpp"
#include "report/place_panel.hpp"

namespace credo::report {
namespace {
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
          place_panel(material, one.name,
                      results::check_replicated(one, material.fit().num_chains(), {}).places,
                      "place among the replicates"));
  picture.columns = std::min<Index>(2, ssize(picture.panels));
  return picture;
}
}  // namespace

extern const PictureKind calibration_picture{
    .name = "calibration",
    .summary = "whether observed values lie evenly among their replicates",
    .draw = draw_calibration};

}  // namespace credo::report
