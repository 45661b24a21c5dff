// Assumed-density filtering: one pass over the sites, whose log masses add up to the log evidence.
#include "base/error.hpp"
#include "base/stop.hpp"
#include "infer/core/fit_stages.hpp"
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

// The pass, after any number of rows.
struct SitePass {
  NormalState q;
  double log_evidence = kNaN;
  std::vector<FilteredRow> course;
  Index num_evaluations = 0;

  static void saved(auto& self, auto&& field) {
    field(self.q);
    field(self.log_evidence);
    field(self.course);
    field(self.num_evaluations);
  }
};

void see(SitePass& pass, LinearSite& site, const SiteUpdateRow& update) {
  SiteIntegrals integrals;
  const SiteNormal now = pass.q.along(site);
  (void)form_holds(site, now);
  const SiteAt at{.function = &site.function(),
                  .integrals = &integrals,
                  .marginal = now,
                  .cavity = now,
                  .factor = {}};
  const SiteProposal found = update.update(at);
  if (!found.exists() || !(1.0 + found.precision * now.variance > 0.0)) throw no_factor(site);
  const double log_mass = log_mass_of_row(update, at, found);
  pass.log_evidence += log_mass;
  pass.course.push_back({.log_predictive = log_mass, .mean = now.mean, .variance = now.variance});
  pass.q.add({.precision = found.precision, .shift = found.shift});
}
}  // namespace

FilterFit filter_sites(SitePosterior& posterior, const SiteUpdateRow& update, bool is_diagonal) {
  SitePass pass;
  if (!pass.q.set(posterior.base.precision, posterior.base.shift))
    throw Error(ErrorCode::usage, "the prior isn't normal, or leaves a direction flat", "adf",
                "give every parameter a normal prior; --method ep and cvi take others");
  pass.log_evidence = posterior.base.constant + pass.q.log_mass();
  if (is_diagonal) pass.q.make_diagonal();
  FitStage stage;
  if (stage.resume(pass)) count_from(posterior, pass.num_evaluations);
  for (std::size_t n = pass.course.size(); n < posterior.sites.size(); ++n) {
    stop_if_asked();
    see(pass, posterior.sites[n], update);
    if (is_diagonal) pass.q.make_diagonal();
    pass.num_evaluations = posterior.num_evaluations();
    stage.look(pass);
  }
  stage.end(pass);
  FilterFit fit{.mean = {pass.q.mean().begin(), pass.q.mean().end()},
                .covariance = pass.q.covariance().values,
                .log_evidence = pass.log_evidence,
                .course = std::move(pass.course)};
  return fit;
}

}  // namespace credo::infer
