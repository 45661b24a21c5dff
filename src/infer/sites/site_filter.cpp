// Assumed-density filtering: one pass over the sites, whose log masses add up to the log evidence.
#include "base/error.hpp"
#include "base/stop.hpp"
#include "infer/sites/normal_state.hpp"
#include "infer/sites/site_rounds.hpp"

namespace credo::infer {
namespace {

Error no_factor(const LinearSite& site) {
  return Error(
      ErrorCode::evaluation,
      "row " + std::to_string(site.row + 1) + " of the likelihood leaves no normal distribution",
      "adf", "--method ep takes such rows later, when others have narrowed it down");
}

// log ∫ N(cavity) f, by Laplace's method for the update by parabolas.
double log_mass_of_row(const SiteUpdateRow& update, const SiteAt& at, const SiteProposal& found) {
  SiteAt after = at;
  after.factor = {.precision = found.precision, .shift = found.shift};
  return update.constant(after, found) + log_mass_of_factor(at.cavity, after.factor, 1.0);
}
}  // namespace

FilterFit filter_sites(SitePosterior& posterior, const SiteUpdateRow& update, bool is_diagonal) {
  NormalState q;
  if (!q.set(posterior.base.precision, posterior.base.shift))
    throw Error(ErrorCode::usage, "the prior isn't normal, or leaves a direction flat", "adf",
                "give every parameter a normal prior; --method ep and cvi take others");
  FilterFit fit;
  fit.log_evidence = posterior.base.constant + q.log_mass();
  if (is_diagonal) q.make_diagonal();
  for (LinearSite& site : posterior.sites) {
    stop_if_asked();
    SiteIntegrals integrals;
    const SiteNormal now = q.along(site);
    (void)form_holds(site, now);
    const SiteAt at{.function = &site.function(),
                    .integrals = &integrals,
                    .marginal = now,
                    .cavity = now,
                    .factor = {}};
    const SiteProposal found = update.update(at);
    if (!found.exists() || !(1.0 + found.precision * now.variance > 0.0)) throw no_factor(site);
    const double log_mass = log_mass_of_row(update, at, found);
    fit.log_evidence += log_mass;
    fit.course.push_back({.log_predictive = log_mass, .mean = now.mean, .variance = now.variance});
    q.add({.precision = found.precision, .shift = found.shift});
    if (is_diagonal) q.make_diagonal();
  }
  fit.mean.assign(q.mean().begin(), q.mean().end());
  fit.covariance = q.covariance().values;
  return fit;
}

}  // namespace credo::infer
