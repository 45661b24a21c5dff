// Prior against posterior.
#include <fmt/format.h>

#include "base/error.hpp"
#include "report/kinds.hpp"
#include "report/prior_marginal.hpp"

namespace credo::report {
namespace {
constexpr Index kPriorPlaces = 200;

// A prior's tails may be far longer than the posterior: what lies beyond it by more than twice its range is left out.
void cut(Mark& prior, const Mark& posterior) {
  if (posterior.x.empty()) return;
  const double low = posterior.x.front(), high = posterior.x.back(), wide = 2.0 * (high - low);
  const Mark whole = prior;
  for (Series* series : {&prior.x, &prior.x2, &prior.y, &prior.y2}) series->clear();
  for (std::size_t k = 0; k < whole.x.size(); ++k) {
    if (whole.x[k] < low - wide || whole.x[k] > high + wide) continue;
    prior.x.push_back(whole.x[k]), prior.y.push_back(whole.y[k]), prior.y2.push_back(whole.y2[k]);
    if (!whole.x2.empty()) prior.x2.push_back(whole.x2[k]);
  }
}

Panel prior_panel(const Material& material, Index quantity) {
  const Marginal prior = prior_marginal(material, quantity, kPriorPlaces);
  if (prior.all.empty())
    throw Error(
        ErrorCode::usage,
        material.label(quantity) + " has no prior of its own: it is generated, or doesn't vary",
        "--columns", "name parameters or transformed parameters");
  const density::Draws draws = material.draws(quantity);
  const Marginal posterior =
      marginal_of({draws.quantity(0), draws.num_draws() * draws.num_chains(), 1},
                  material.is_whole(quantity), kPriorPlaces, material.weights());
  Panel panel{.title = material.label(quantity), .y = {.low = 0.0, .is_hidden = true}};
  panel.marks = {body_of(prior, Role::prior), body_of(posterior, Role::posterior)};
  cut(panel.marks[0], panel.marks[1]);
  return panel;
}

Picture draw_prior(const Material& material, std::span<const Index> quantities) {
  Picture picture{
      .kind = "prior",
      .title = "Prior and posterior",
      .words = fmt::format(
          "Densities of {} draws from the prior, within its central 98 % and as far as twice the "
          "posterior's range beyond it, and of the posterior. What the data say is how the "
          "second differs from the first.",
          material.options().num_prior_draws)};
  for (const Index quantity : quantities) picture.panels.push_back(prior_panel(material, quantity));
  picture.columns = std::min<Index>(2, ssize(picture.panels));
  return picture;
}
}  // namespace

extern const PictureKind prior_picture{.name = "prior",
                                       .summary = "prior against posterior",
                                       .most_quantities = 8,
                                       .draw = draw_prior};

}  // namespace credo::report
