// Quantities against each other, with the divergent transitions.
#include "base/error.hpp"
#include "report/kinds.hpp"

namespace credo::report {
namespace {
constexpr Index kMostPoints = 2000, kPairPlaces = 100;

// Draws spread over all, and those that diverged.
struct Shown {
  std::vector<std::size_t> plain, divergent;
};

Shown shown_draws(const Series& divergent, Index total) {
  Shown shown;
  const Index step = (total + kMostPoints - 1) / kMostPoints;
  for (Index i = 0; i < total; ++i) {
    const auto place = static_cast<std::size_t>(i);
    if (!divergent.empty() && divergent[place] != 0.0)
      shown.divergent.push_back(place);
    else if (i % step == 0)
      shown.plain.push_back(place);
  }
  return shown;
}

Panel scatter(std::span<const double> x, std::span<const double> y, const Shown& shown) {
  Panel panel;
  for (const auto& [role, places] :
       {std::pair{Role::all, &shown.plain}, std::pair{Role::divergent, &shown.divergent}}) {
    if (places->empty()) continue;
    Mark points{.kind = Mark::Kind::points,
                .role = role,
                .label = role == Role::all ? "draws" : "divergent transitions"};
    for (const std::size_t i : *places) points.x.push_back(x[i]), points.y.push_back(y[i]);
    panel.marks.push_back(std::move(points));
  }
  return panel;
}

Panel diagonal(const diagnose::Chains& chains, const std::string& name, bool is_whole) {
  const Marginal marginal = marginal_of(chains, is_whole, kPairPlaces);
  Panel panel{.title = name, .y = {.low = 0.0, .is_hidden = true}};
  if (!marginal.all.empty()) panel.marks.push_back(area_of(marginal, Role::all, "density"));
  return panel;
}

// Rows of a lower triangle; the panels above the diagonal are empty.
Picture draw_pairs(const Material& material, std::span<const Index> quantities) {
  if (quantities.size() < 2)
    throw Error(ErrorCode::usage, "pairs are of two quantities at least", "--columns",
                "--columns mu --columns tau");
  Picture picture{
      .kind = "pairs",
      .title = "Pairs",
      .words =
          "Each point is a draw. Divergent transitions that crowd somewhere show where the sampler "
          "doesn't get through.",
      .columns = ssize(quantities),
      .height = quantities.size() > 3 ? 130.0 : 200.0};
  const Index total = material.fit().num_draws(false) * material.fit().num_chains();
  const Shown shown = shown_draws(material.statistic("divergent"), total);
  std::vector<density::Draws> draws;
  for (const Index quantity : quantities) draws.push_back(material.draws(quantity));
  for (std::size_t row = 0; row < quantities.size(); ++row)
    for (std::size_t column = 0; column < quantities.size(); ++column) {
      if (column > row) {
        picture.panels.emplace_back();
      } else if (column == row) {
        picture.panels.push_back(diagonal(diagnose::quantity(draws[row], 0),
                                          material.label(quantities[row]),
                                          material.is_whole(quantities[row])));
      } else {
        Panel& panel = picture.panels.emplace_back(
            scatter(draws[column].quantity(0), draws[row].quantity(0), shown));
        if (row + 1 == quantities.size()) panel.x.label = material.label(quantities[column]);
        if (column == 0) panel.y.label = material.label(quantities[row]);
      }
    }
  return picture;
}
}  // namespace

extern const PictureKind pairs_picture{
    .name = "pairs",
    .summary = "quantities against each other, with divergent transitions",
    .most_quantities = 4,
    .draw = draw_pairs};

}  // namespace credo::report
