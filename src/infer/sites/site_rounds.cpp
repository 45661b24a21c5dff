#include "infer/sites/site_rounds.hpp"

#include <fmt/format.h>

#include "base/stop.hpp"
#include "infer/core/fit_stages.hpp"
#include "infer/sites/normal_state.hpp"
#include "infer/sites/tied_sites.hpp"
#include "numerics/elementary.hpp"

namespace credo::infer {
namespace {
constexpr double kFlatStart = 1e-2;  // precisions of factors where the base is no distribution
constexpr int kMostHalvings = 30;
constexpr Index kPatience = 10;  // rounds between checks that changes become smaller

}  // namespace

Error no_distribution() {
  return Error(ErrorCode::evaluation,
               "the normal prior times the normal factors of the sites isn't a distribution",
               "sites",
               "give every parameter a proper prior, take a smaller --damping, or credo sample");
}

namespace {
class SiteRounds {
 public:
  SiteRounds(SitePosterior& posterior, const SiteRoundOptions& options)
      : posterior_(posterior),
        options_(options),
        update_(*options.update),
        factors_(posterior.sites.size()),
        integrals_(posterior.sites.size()),
        damping_(options.damping > 0.0             ? options.damping
                 : options.order == SiteOrder::all ? 0.5
                                                   : 1.0) {}

  SiteFit fit() {
    FitStage stage;
    stage.resume(*this) ? resume() : begin();
    while (!stage.has_ended() && !converged_ && ssize(course_) < options_.max_rounds) {
      make_round();
      progress_ = progress_of(posterior_);
      stage.look(*this);
    }
    if (!stage.has_ended() && !converged_) integrals_hold();
    progress_ = progress_of(posterior_);
    stage.end(*this);
    return finish();
  }

  // q follows from the factors.
  static void saved(auto& self, auto&& field) {
    field(self.factors_);
    field(self.integrals_);
    field(self.damping_);
    field(self.course_);
    field(self.num_skipped_);
    field(self.converged_);
    field(self.progress_);
  }

 private:
  void resume() {
    resume_at(posterior_, progress_);
    renew();
    changes_.since_last(q_);
  }
  void make_round() {
    num_skipped_ = 0;
    options_.order == SiteOrder::all ? update_all() : update_one_by_one();
    renew();
    record(changes_.since_last(q_));
    converged_ = course_.back().change < options_.tolerance && integrals_hold();
  }

  // ---- q

  bool try_to_set() {
    numerics::RowMatrix precision = posterior_.base.precision;
    std::vector<double> shift = posterior_.base.shift;
    for (std::size_t n = 0; n < factors_.size(); ++n)
      add_factor(posterior_.sites[n], factors_[n], precision, shift);
    return q_.set(precision, shift);
  }
  void renew() {
    if (!try_to_set()) throw no_distribution();
  }
  void begin() {
    for (std::size_t n = 0; n < factors_.size(); ++n)
      factors_[n] = {.precision = posterior_.sites[n].start_precision,
                     .shift = posterior_.sites[n].start_shift};
    if (!try_to_set()) {
      for (SiteFactor& factor : factors_) factor.precision += kFlatStart;
      renew();
    }
    changes_.since_last(q_);
  }

  // ---- sites

  std::optional<SiteAt> site_at(std::size_t n) {
    const SiteNormal marginal = q_.along(posterior_.sites[n]);
    SiteAt at{.function = &posterior_.sites[n].function(),
              .integrals = &integrals_[n],
              .marginal = marginal,
              .cavity = {},
              .factor = factors_[n],
              .power = options_.power};
    const double without = 1.0 / marginal.variance - options_.power * factors_[n].precision;
    if (without > 0.0)
      at.cavity = {
          .mean =
              (marginal.mean / marginal.variance - options_.power * factors_[n].shift) / without,
          .variance = 1.0 / without};
    else if (update_.uses_cavity)
      return std::nullopt;
    return at;
  }
  // Empty if the cavity or the new factor doesn't exist.
  std::optional<SiteProposal> proposal_at(std::size_t n, std::optional<SiteAt>& at) {
    at = site_at(n);
    if (!at) return std::nullopt;
    const SiteProposal found = update_.update(*at);
    return found.exists() ? std::optional(found) : std::nullopt;
  }
  static SiteFactor mixed(const SiteFactor& old, const SiteProposal& found, double share) {
    return {.precision = old.precision + share * (found.precision - old.precision),
            .shift = old.shift + share * (found.shift - old.shift),
            .constant = old.constant};
  }

  void update_one_by_one() {
    for (std::size_t n = 0; n < factors_.size(); ++n) {
      stop_if_asked();
      std::optional<SiteAt> at;
      const std::optional<SiteProposal> found = proposal_at(n, at);
      if (!found || !move(n, *at, *found)) ++num_skipped_;
    }
  }
  // With half the share as long as q would be no distribution.
  bool move(std::size_t n, SiteAt& at, const SiteProposal& found) {
    double share = damping_;
    for (int halving = 0; halving < kMostHalvings; ++halving, share *= 0.5) {
      const SiteFactor next = mixed(factors_[n], found, share);
      const SiteFactor by{.precision = next.precision - factors_[n].precision,
                          .shift = next.shift - factors_[n].shift};
      constexpr double kLeastKept = 1e-8;  // share of the precision along the site
      if (!(1.0 + by.precision * at.marginal.variance > kLeastKept)) continue;
      q_.add(by);
      at.factor = next;
      factors_[n] = next;
      factors_[n].constant = update_.constant(at, found);
      return true;
    }
    return false;
  }

  void update_all() {
    const std::vector<SiteFactor> old = factors_;
    std::vector<std::optional<SiteProposal>> found(old.size());
    std::vector<std::optional<SiteAt>> at(old.size());
    for (std::size_t n = 0; n < old.size(); ++n) {
      stop_if_asked();
      found[n] = proposal_at(n, at[n]);
      if (!found[n]) ++num_skipped_;
    }
    double share = damping_;
    for (int halving = 0; halving < kMostHalvings; ++halving, share *= 0.5) {
      for (std::size_t n = 0; n < old.size(); ++n)
        if (found[n]) factors_[n] = mixed(old[n], *found[n], share);
      if (try_to_set()) break;
      factors_ = old;
    }
    for (std::size_t n = 0; n < old.size(); ++n) {
      if (!found[n]) continue;
      at[n]->factor = factors_[n];
      factors_[n].constant = update_.constant(*at[n], *found[n]);
    }
  }

  // ---- the end of a round

  double log_evidence() const {
    double sum = posterior_.base.constant + q_.log_mass();
    for (const SiteFactor& factor : factors_) sum += factor.constant;
    return sum;
  }
  void record(double change) {
    course_.push_back({.log_evidence = log_evidence(),
                       .change = change,
                       .damping = damping_,
                       .num_skipped = num_skipped_,
                       .num_evaluations = posterior_.num_evaluations()});
    if (options_.damping > 0.0 || ssize(course_) % kPatience != 0) return;
    const auto least = [&](Index from) {
      double smallest = kInfinity;
      for (Index r = from; r < from + kPatience / 2; ++r)
        smallest = std::min(smallest, course_[static_cast<std::size_t>(r)].change);
      return smallest;
    };
    const Index last = ssize(course_);
    if (least(last - kPatience / 2) > 0.5 * least(last - kPatience))
      damping_ = std::max(0.5 * damping_, 1.0 / static_cast<double>(factors_.size()));
  }

  // Compares recognised forms with the density, and integrals with the grid, where q is now; and sets the constants there. False where a
  // site has another form or rule from now on.
  bool integrals_hold() {
    bool all_hold = true;
    num_skipped_ = 0;
    for (std::size_t n = 0; n < factors_.size(); ++n) {
      stop_if_asked();
      if (!form_holds(posterior_.sites[n], q_.along(posterior_.sites[n])))
        integrals_[n] = {}, all_hold = false;
      const SiteIntegrals::Rule before = integrals_[n].rule;
      if (before == SiteIntegrals::Rule::hermite) integrals_[n].rule = SiteIntegrals::Rule::unknown;
      std::optional<SiteAt> at;
      const std::optional<SiteProposal> found = proposal_at(n, at);
      all_hold = all_hold && integrals_[n].rule == before;
      factors_[n].constant = found ? update_.constant(*at, *found) : kNaN;
      if (!found) ++num_skipped_;
    }
    return all_hold;
  }
  SiteFit finish() {
    SiteFit fit{.mean = {q_.mean().begin(), q_.mean().end()},
                .covariance = q_.covariance().values,
                .log_evidence = log_evidence(),
                .converged = converged_,
                .num_skipped = num_skipped_,
                .factors = std::move(factors_),
                .course = std::move(course_)};
    if (!fit.course.empty()) fit.course.back().log_evidence = fit.log_evidence;
    for (const SiteIntegrals& own : integrals_)
      if (own.rule == SiteIntegrals::Rule::grid) ++fit.num_by_grid;
    return fit;
  }

  SitePosterior& posterior_;
  const SiteRoundOptions& options_;
  const SiteUpdateRow& update_;
  std::vector<SiteFactor> factors_;
  std::vector<SiteIntegrals> integrals_;
  double damping_;
  NormalState q_;
  NormalChanges changes_;
  std::vector<SiteRound> course_;
  Index num_skipped_ = 0;
  bool converged_ = false;
  SitesProgress progress_;
};
}  // namespace

SitesProgress progress_of(const SitePosterior& posterior) {
  SitesProgress progress{.has_form = {}, .num_evaluations = posterior.num_evaluations()};
  for (const LinearSite& site : posterior.sites)
    progress.has_form.push_back(site.form != nullptr ? 1 : 0);
  return progress;
}

void resume_at(SitePosterior& posterior, const SitesProgress& progress) {
  for (std::size_t n = 0; n < posterior.sites.size(); ++n)
    if (progress.has_form.at(n) == 0) posterior.sites[n].form.reset();
  count_from(posterior, progress.num_evaluations);
}

void count_from(SitePosterior& posterior, Index num_evaluations) {
  const Index before = num_evaluations - posterior.num_evaluations();
  posterior.num_evaluations = [count = posterior.num_evaluations, before] {
    return before + count();
  };
}

SiteFit fit_sites(SitePosterior& posterior, const SiteRoundOptions& options) {
  if (options.stochastic) return fit_tied_sites(posterior, options);
  return SiteRounds(posterior, options).fit();
}

}  // namespace credo::infer
