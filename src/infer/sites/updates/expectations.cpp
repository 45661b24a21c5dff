// The update of conjugate-computation variational inference [khan2017; murphy2023, 10.3.8]: the natural gradient of E_q log f by the
// parameters of the factor is E f'' and E f' at the marginal of q (theorems of Bonnet and Price).
#include "infer/sites/site_update.hpp"

namespace credo::infer {
namespace {

SiteProposal match_gradients(const SiteAt& site) {
  const numerics::NormalExpectations found = normal_expectations(site);
  return {.precision = -found.curvature,
          .shift = found.slope - found.curvature * site.marginal.mean,
          .value = found.value};
}

// With it the mass of base times factors is the evidence bound: E log f - E log factor at q.
double match_bound(const SiteAt& site, const SiteProposal& found) {
  const auto& [mean, variance] = site.marginal;
  return found.value - site.factor.shift * mean +
         0.5 * site.factor.precision * (variance + mean * mean);
}
}  // namespace

extern const SiteUpdateRow kExpectationUpdate;
const SiteUpdateRow kExpectationUpdate{
    .name = "expectations",
    .summary =
        "mean slope and curvature of the log site (conjugate-computation variational "
        "inference)",
    .uses_cavity = false,
    .update = match_gradients,
    .constant = match_bound};

}  // namespace credo::infer
