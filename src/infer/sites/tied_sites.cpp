// The factor of all sites together is exp(uᵀ θ - ½ θᵀ T θ). A site's cavity has (1 - 1/N) of it; the site's own factor, by moments at that
// cavity, takes the place of the share that was left out:
//
//   T ← (1 - 1/N) T + τ a aᵀ,   u ← (1 - 1/N) u + ν a
//
// There is no estimate of the evidence: log masses against the common factor were 0.8 too high for 12 rows.
#include "infer/sites/tied_sites.hpp"

#include "base/error.hpp"
#include "base/stop.hpp"
#include "infer/core/fit_stages.hpp"
#include "infer/sites/normal_state.hpp"

namespace credo::infer {
namespace {

class TiedSites {
 public:
  TiedSites(SitePosterior& posterior, const SiteRoundOptions& options)
      : posterior_(posterior),
        options_(options),
        precision_(posterior.base.precision.rows),
        shift_(posterior.base.shift.size(), 0.0),
        integrals_(posterior.sites.size()) {}

  SiteFit fit() {
    FitStage stage;
    if (stage.resume(*this)) resume_at(posterior_, progress_);
    if (!set(q_, 1.0)) throw flat_base();
    changes_.since_last(q_);
    while (!stage.has_ended() && !converged_ && ssize(course_) < options_.max_rounds) {
      make_round();
      progress_ = progress_of(posterior_);
      stage.look(*this);
    }
    stage.end(*this);
    return finish();
  }

  static void saved(auto& self, auto&& field) {
    field(self.precision_.values);
    field(self.shift_);
    field(self.integrals_);
    field(self.course_);
    field(self.num_skipped_);
    field(self.converged_);
    field(self.progress_);
  }

 private:
  void make_round() {
    num_skipped_ = 0;
    for (std::size_t n = 0; n < posterior_.sites.size(); ++n) replace_share(n);
    if (!set(q_, 1.0)) throw no_distribution();
    course_.push_back({.log_evidence = kNaN,
                       .change = changes_.since_last(q_),
                       .damping = share(),
                       .num_skipped = num_skipped_,
                       .num_evaluations = posterior_.num_evaluations()});
    converged_ = course_.back().change < options_.tolerance && forms_hold();
  }
  static Error flat_base() {
    return Error(ErrorCode::usage, "the prior isn't normal, or leaves a direction flat",
                 "stochastic", "give every parameter a normal prior, or leave --stochastic out");
  }
  double share() const { return 1.0 / static_cast<double>(posterior_.sites.size()); }
  // Base times so much of the factor.
  bool set(NormalState& state, double part) const {
    numerics::RowMatrix precision = posterior_.base.precision;
    std::vector<double> shift = posterior_.base.shift;
    for (std::size_t k = 0; k < precision.values.size(); ++k)
      precision.values[k] += part * precision_.values[k];
    for (std::size_t d = 0; d < shift.size(); ++d) shift[d] += part * shift_[d];
    return state.set(precision, shift);
  }
  std::optional<SiteProposal> proposal_at(std::size_t n) {
    stop_if_asked();
    if (!set(cavity_, 1.0 - share())) return std::nullopt;
    const SiteNormal along = cavity_.along(posterior_.sites[n]);
    const SiteProposal found = options_.update->update({.function = &posterior_.sites[n].function(),
                                                        .integrals = &integrals_[n],
                                                        .marginal = along,
                                                        .cavity = along,
                                                        .factor = {}});
    return found.exists() ? std::optional(found) : std::nullopt;
  }
  void replace_share(std::size_t n) {
    const std::optional<SiteProposal> found = proposal_at(n);
    if (!found) return void(++num_skipped_);
    for (double& p : precision_.values) p *= 1.0 - share();
    for (double& u : shift_) u *= 1.0 - share();
    add_factor(posterior_.sites[n], {.precision = found->precision, .shift = found->shift},
               precision_, shift_);
  }
  bool forms_hold() {
    bool all_hold = true;
    for (std::size_t n = 0; n < posterior_.sites.size(); ++n)
      if (!form_holds(posterior_.sites[n], q_.along(posterior_.sites[n])))
        integrals_[n] = {}, all_hold = false;
    return all_hold;
  }

  SiteFit finish() {
    SiteFit fit;
    fit.mean.assign(q_.mean().begin(), q_.mean().end());
    fit.covariance = q_.covariance().values;
    fit.converged = converged_;
    fit.num_skipped = num_skipped_;
    for (const SiteIntegrals& own : integrals_)
      if (own.rule == SiteIntegrals::Rule::grid) ++fit.num_by_grid;
    fit.course = std::move(course_);
    return fit;
  }

  SitePosterior& posterior_;
  const SiteRoundOptions& options_;
  numerics::RowMatrix precision_;  // T
  std::vector<double> shift_;      // u
  std::vector<SiteIntegrals> integrals_;
  NormalState q_, cavity_;
  NormalChanges changes_;
  std::vector<SiteRound> course_;
  Index num_skipped_ = 0;
  bool converged_ = false;
  SitesProgress progress_;
};
}  // namespace

SiteFit fit_tied_sites(SitePosterior& posterior, const SiteRoundOptions& options) {
  return TiedSites(posterior, options).fit();
}

}  // namespace credo::infer
