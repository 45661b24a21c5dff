// Calibration: places of observed values among their replicates, with random ties. If they are uniform, their
// distribution function stays within a band [sailynoja2022].
#include "report/kinds.hpp"
#include "report/place_panel.hpp"
#include "report/random_places.hpp"

namespace credo::report {
namespace {
Picture draw_calibration(const Material& material, std::span<const Index>) {
  Picture picture{
      .kind = "calibration",
      .title = "Calibration",
      .words =
          "The share of observed values at or below each place among their replicates, less the "
          "place: near zero where predictions are calibrated, within the band everywhere in 95 % "
          "of such cases. A line that falls, then rises means predictions that are too wide, as "
          "they are for data that were fitted with many parameters; one that rises, then falls, "
          "too narrow ones. Replicates that equal the observed value count as below or above it "
          "at random, so that this holds for whole numbers, too."};
  const std::vector<results::Replicated>& all = material.replicates();
  for (std::size_t v = 0; v < all.size(); ++v)
    if (!all[v].observed.empty())
      picture.panels.push_back(
          place_panel(material, all[v].name,
                      random_places(all[v], material.options().seed, static_cast<Index>(v)),
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
