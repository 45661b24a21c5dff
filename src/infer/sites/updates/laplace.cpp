// The update of Laplace propagation [smola2004; murphy2023, 10.7.3]: the parabola of log f at the mode of cavity times site^power. Its
// fixed point is Laplace's approximation at a mode of the posterior.
#include "infer/sites/site_update.hpp"

namespace credo::infer {
namespace {

SiteProposal match_parabola(const SiteAt& site) {
  const auto& [mean, variance] = site.cavity;
  const numerics::LogFactor log_factor = log_factor_of(*site.function);
  const numerics::TiltedPeak peak =
      numerics::tilted_peak(mean, variance, log_factor, site.power, site.integrals->peak);
  site.integrals->peak = peak.at;
  if (!peak.found()) return {};
  double value = 0.0, slope = 0.0;
  log_factor(std::span(&peak.at, 1), std::span(&value, 1), std::span(&slope, 1));
  const double precision = (1.0 / (peak.width * peak.width) - 1.0 / variance) / site.power;
  return {
      .precision = precision, .shift = slope + precision * peak.at, .value = value, .at = peak.at};
}

// The factor has the site's value at that mode.
double match_value(const SiteAt& site, const SiteProposal& found) {
  return found.value - site.factor.shift * found.at +
         0.5 * site.factor.precision * found.at * found.at;
}
}  // namespace

extern const SiteUpdateRow kLaplaceUpdate;
const SiteUpdateRow kLaplaceUpdate{.name = "laplace",
                                   .summary = "mode and curvature of cavity times site",
                                   .update = match_parabola,
                                   .constant = match_value};

}  // namespace credo::infer
