// Calibration of rows that are left out: LOO-PIT, the probability of a replicate below the observed value by the posterior of all other
// rows [gelman2013, ch. 7; vehtari2017].
#include <fmt/format.h>

#include "report/kinds.hpp"
#include "report/place_panel.hpp"

namespace credo::report {
namespace {

// Counts unreliable rows as the rest of the report does, or, if the model has no rows of its own, by the weights of
// the places.
std::string doubts_of(const Material& material, std::span<const results::LooPit> pits) {
  std::string text;
  if (const auto unreliable = material.unreliable()) text += " " + unreliable->sentence();
  for (const results::LooPit& pit : pits) {
    if (text.empty() && pit.num_unreliable > 0)
      text +=
          fmt::format(" Of {} values {} have a Pareto k above {:.2f}: don't rely on their places.",
                      pit.places.size(), pit.num_unreliable, pit.k_limit);
    if (pit.num_unmatched > 0)
      text += fmt::format(" {} values have no row of their own.", pit.num_unmatched);
  }
  return text;
}

Picture draw_loo_pit(const Material& material, std::span<const Index>) {
  Picture picture{.kind = "loo_pit",
                  .title = "Calibration of rows left out",
                  .words =
                      "The share of observed values at or below each probability that the "
                      "posterior of all other rows "
                      "gives to lower replicates (LOO-PIT), less the probability: within the band "
                      "everywhere in 95 % "
                      "of calibrated cases. A line that falls, then rises means predictions that "
                      "are too wide; one "
                      "that rises, then falls, too narrow ones."};
  const std::vector<results::LooPit>& pits = material.loo_pits();
  for (std::size_t k = 0; k < pits.size(); ++k)
    if (!pits[k].places.empty())
      picture.panels.push_back(place_panel(material, material.replicates()[k].name, pits[k].places,
                                           "probability of a lower replicate, row left out"));
  picture.words += doubts_of(material, pits);
  if (picture.panels.empty())
    throw Error(ErrorCode::program, "no observed value is the outcome of a row of its own",
                material.subjects()[0].name,
                "write the likelihood with density statements of data");
  picture.columns = std::min<Index>(2, ssize(picture.panels));
  return picture;
}
}  // namespace

extern const PictureKind loo_pit_picture{
    .name = "loo_pit",
    .summary = "whether observed values lie evenly among replicates of rows left out",
    .draw = draw_loo_pit};

}  // namespace credo::report
