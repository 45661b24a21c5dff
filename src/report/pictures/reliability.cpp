// Reliability: whether events are as frequent as their probabilities say, of rows that are left out [broecker2007].
#include <fmt/format.h>

#include "report/kinds.hpp"
#include "score/reliability.hpp"

namespace credo::report {
namespace {

Panel reliability_panel(const score::Reliability& part) {
  Panel panel{
      .title = fmt::format("{}: ECE {:.3f}",
                           part.of == "top" ? "likeliest class" : "class " + part.of, part.ece),
      .x = {.label = "mean probability", .low = 0.0, .high = 1.0},
      .y = {.label = "share of events", .low = 0.0, .high = 1.0}};
  Mark band{
      .kind = Mark::Kind::spans, .role = Role::interval, .label = "where calibrated shares lie"},
      inside{.kind = Mark::Kind::points, .role = Role::observed, .label = "share"},
      outside{.kind = Mark::Kind::points, .role = Role::unreliable, .label = "outside"};
  for (const score::ReliabilityBin& bin : part.bins) {
    band.x.push_back(bin.predicted);
    band.y.push_back(bin.band_lower), band.y2.push_back(bin.band_upper);
    Mark& mark = bin.is_outside() ? outside : inside;
    mark.x.push_back(bin.predicted), mark.y.push_back(bin.observed);
  }
  panel.marks = {{.kind = Mark::Kind::line,
                  .role = Role::reference,
                  .x = {0.0, 1.0},
                  .y = {0.0, 1.0},
                  .label = "calibrated"},
                 std::move(band)};
  for (Mark* mark : {&inside, &outside})
    if (!mark->x.empty()) panel.marks.push_back(std::move(*mark));
  return panel;
}

Picture draw_reliability(const Material& material, std::span<const Index>) {
  const score::Predictions& predictions = material.predictions().predictions;
  if (predictions.form != score::Form::classes)
    throw Error(ErrorCode::usage,
                "the outcomes aren't classes, whose probabilities could be held against shares",
                material.subjects()[0].name,
                "credo plot fit.nc loo_pit shows the calibration of other outcomes");
  const score::ClassCalibration calibration =
      score::class_calibration(predictions, {.seed = material.options().seed});
  Picture picture{
      .kind = "reliability",
      .title = "Reliability",
      .words = fmt::format("The share of events against their mean probability, in bins of "
                           "probability, each row predicted "
                           "from all others. {} The bars are where the shares of all bins lie, "
                           "with probability {:.3g} at "
                           "least, if the probabilities are right.",
                           score::sentence_of(calibration), 1.0 - 0.5 * calibration.error_rate)};
  for (const score::Reliability& part : calibration.parts)
    picture.panels.push_back(reliability_panel(part));
  picture.columns = std::min<Index>(2, ssize(picture.panels));
  picture.height = 260;
  return picture;
}
}  // namespace

extern const PictureKind reliability_picture{
    .name = "reliability",
    .summary = "whether events are as frequent as their probabilities say, of rows left out",
    .draw = draw_reliability};

}  // namespace credo::report
