// Marginal densities; for whole numbers the shares of their values.
#include <fmt/format.h>

#include "base/error.hpp"
#include "report/kinds.hpp"

namespace credo::report {
namespace {
constexpr Index kPlaces = 200;

Panel density_panel(const Material& material, Index quantity) {
  const density::Draws draws = material.draws(quantity);
  const Marginal marginal = marginal_of(diagnose::quantity(draws, 0), material.is_whole(quantity),
                                        kPlaces, material.weights());
  if (marginal.all.empty())
    throw Error(ErrorCode::usage,
                material.label(quantity) + " has draws that are all the same, or not finite",
                "--columns", "name quantities that vary");
  const Quantiles q = quantiles_of(draws.quantity(0), material.weights());
  Panel panel{.title = fmt::format("{}: {:.3g}, 90 % from {:.3g} to {:.3g}",
                                   material.label(quantity), q.q50, q.q5, q.q95)};
  panel.y = {.low = 0.0, .is_hidden = true};
  panel.marks.push_back(body_of(marginal, Role::all));
  for (std::size_t c = 0; c < marginal.chains.size(); ++c)
    panel.marks.push_back({.kind = marginal.is_whole ? Mark::Kind::points : Mark::Kind::line,
                           .role = Role::chain,
                           .chain = static_cast<Index>(c),
                           .x = marginal.places(),
                           .y = marginal.chains[c]});
  return panel;
}

Picture draw_densities(const Material& material, std::span<const Index> quantities) {
  Picture picture{.kind = "density",
                  .title = "Marginal densities",
                  .words =
                      "Of all draws (filled) and of each chain, by one bandwidth. Above each: the "
                      "median and the "
                      "central 90 % interval."};
  for (const Index quantity : quantities)
    picture.panels.push_back(density_panel(material, quantity));
  picture.columns = std::min<Index>(2, ssize(picture.panels));
  return picture;
}
}  // namespace

extern const PictureKind density_picture{
    .name = "density",
    .summary = "marginal densities, of all draws and of each chain",
    .most_quantities = 8,
    .draw = draw_densities};

}  // namespace credo::report
