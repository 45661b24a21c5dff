// Autocorrelations by lag, of all chains together and of each.
#include "base/error.hpp"
#include "report/kinds.hpp"

namespace credo::report {
namespace {

Panel autocorrelation_panel(const Material& material, Index quantity) {
  const density::Draws draws = material.draws(quantity);
  const Autocorrelations all =
      autocorrelations_of(diagnose::quantity(draws, 0), material.options().num_lags + 1);
  if (all.all.empty())
    throw Error(ErrorCode::usage,
                material.label(quantity) + " has draws that are all the same, or not finite",
                "--columns", "name quantities that vary");
  Panel panel{.title = material.label(quantity),
              .x = {.label = "lag", .is_whole = true},
              .y = {.high = 1.02}};
  Mark spans{.kind = Mark::Kind::spans,
             .role = Role::all,
             .y = Series(all.all.size(), 0.0),
             .y2 = all.all};
  spans.x.resize(all.all.size());
  std::iota(spans.x.begin(), spans.x.end(), 0.0);
  panel.marks.push_back(
      {.kind = Mark::Kind::rule_y, .role = Role::reference, .y = {0.0}, .label = "none"});
  for (std::size_t c = 0; c < all.chains.size(); ++c)
    if (!all.chains[c].empty())
      panel.marks.push_back({.kind = Mark::Kind::line,
                             .role = Role::chain,
                             .chain = static_cast<Index>(c),
                             .x = spans.x,
                             .y = all.chains[c]});
  panel.marks.push_back(std::move(spans));
  return panel;
}

Picture draw_autocorrelations(const Material& material, std::span<const Index> quantities) {
  Picture picture{
      .kind = "autocorrelation",
      .title = "Autocorrelation",
      .words =
          "How much a draw still has in common with the one so many draws before it: in each "
          "chain, "
          "and in all together, where chains that disagree stay correlated. The sooner it falls to "
          "zero, the more each draw is worth."};
  for (const Index quantity : quantities)
    picture.panels.push_back(autocorrelation_panel(material, quantity));
  picture.columns = std::min<Index>(2, ssize(picture.panels));
  return picture;
}
}  // namespace

extern const PictureKind autocorrelation_picture{.name = "autocorrelation",
                                                 .summary = "how long draws stay alike",
                                                 .most_quantities = 4,
                                                 .draw = draw_autocorrelations};

}  // namespace credo::report
