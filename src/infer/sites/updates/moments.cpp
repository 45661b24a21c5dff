// The update of expectation propagation [minka2001; murphy2023, 10.7]: cavity times factor^power has the mean and variance of cavity times
// site^power. With power 1 it minimises KL(tilted ‖ q); towards 0 its fixed points are those of the expectations' update.
#include "infer/sites/site_update.hpp"

namespace credo::infer {
namespace {

SiteProposal match_moments(const SiteAt& site) {
  const numerics::TiltedNormal tilted = tilted_moments(site);
  const double without = 1.0 / site.cavity.variance;
  return {.precision = (1.0 / tilted.variance - without) / site.power,
          .shift = (tilted.mean / tilted.variance - site.cavity.mean * without) / site.power,
          .value = tilted.log_mass};
}

// The factor's power has the mass of the site's power.
double match_mass(const SiteAt& site, const SiteProposal& found) {
  return (found.value - log_mass_of_factor(site.cavity, site.factor, site.power)) / site.power;
}
}  // namespace

extern const SiteUpdateRow kMomentUpdate;
const SiteUpdateRow kMomentUpdate{
    .name = "moments",
    .summary = "mean and variance of cavity times site (expectation propagation)",
    .update = match_moments,
    .constant = match_mass};

}  // namespace credo::infer
