// Smoothers of linear Gaussian states with outcomes of any density: a normal factor of one linear combination of the state stands for each
// outcome, and the Kalman smoother for the rest [khan2017; murphy2023, 10.3.8.3 and 10.7]. The engine is that of credo approximate
// --method cvi and ep (infer/sites), all sites at once.
//
//   factor exp(c + ν s - ½ τ s²) = exp(c + ν² / 2τ) √(2π / τ) N(ν / τ; s, 1 / τ): an outcome ν / τ with the noise 1 / τ
#include <fmt/format.h>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "base/stop.hpp"
#include "base/stream.hpp"
#include "filters/smoother.hpp"
#include "infer/sites/site_update.hpp"
#include "model/states/density_reader.hpp"
#include "model/states/kalman_run.hpp"
#include "model/states/normal_reader.hpp"
#include "numerics/elementary.hpp"

namespace credo::filters {
namespace {
using infer::SiteAt;
using infer::SiteFactor;
using infer::SiteIntegrals;
using infer::SiteProposal;
using model::GaussianTrack;
using model::StateModel;
using numerics::GaussianState;
using numerics::LinearGaussianStep;
using Numbers = std::vector<double>;
constexpr double kLogTwoPiOfStates = 1.83787706640934548356;
constexpr std::uint32_t kProofStates = stream("filters.sites");

Error not_settled(Index rounds) {
  return Error(ErrorCode::evaluation,
               fmt::format("the factors of the outcomes haven't settled after {} rounds", rounds),
               "--max-rounds", "allow more, take a smaller --damping, or take --method ffbs");
}
Error no_site(Index time, const std::string& why) {
  return Error(ErrorCode::program, fmt::format("at time {} {}", time + 1, why), "observation_lpdf",
               "take --method ffbs, which takes any model");
}

// log p(outcome | s), at the states s c / |c|².
class OutcomeSite final : public infer::SiteFunction {
 public:
  OutcomeSite(model::NormalReader& reader, Index time, Numbers direction)
      : reader_(reader), time_(time), direction_(std::move(direction)) {
    for (const double c : direction_) square_ += c * c;
  }
  std::string_view form() const override { return "row"; }
  void evaluate(std::span<const double> s, std::span<double> log_f,
                std::span<double> slopes) const override {
    constexpr auto kBlock = static_cast<std::size_t>(density::StateSpace::kBlock);
    for (std::size_t first = 0; first < s.size(); first += kBlock) {
      const std::size_t count = std::min(kBlock, s.size() - first);
      std::vector<Numbers> states(count, direction_);
      for (std::size_t i = 0; i < count; ++i)
        for (double& x : states[i]) x *= s[first + i] / square_;
      const std::vector<Numbers> seen = reader_.log_outcomes(time_, states);
      for (std::size_t i = 0; i < count; ++i) take(seen[i], log_f[first + i], slopes[first + i]);
    }
  }
  std::span<const double> direction() const { return direction_; }

 private:
  void take(const Numbers& seen, double& log_f, double& slope) const {
    log_f = std::isfinite(seen[0]) ? seen[0] : -kInfinity;
    slope = 0.0;
    for (std::size_t e = 0; std::isfinite(seen[0]) && e < direction_.size(); ++e)
      slope += seen[1 + e] * direction_[e] / square_;
  }
  model::NormalReader& reader_;
  Index time_;
  Numbers direction_;
  double square_ = 0.0;
};

// Mean and variance of s under a state's distribution.
infer::SiteNormal along(const GaussianState& state, std::span<const double> direction) {
  const std::size_t d = direction.size();
  infer::SiteNormal normal{0.0, 0.0};
  for (std::size_t k = 0; k < d; ++k) {
    double row = 0.0;  // element of S c
    for (std::size_t e = 0; e < d; ++e) row += state.root[k + e * d] * direction[e];
    normal.variance += row * row;
    normal.mean += direction[k] * state.mean[k];
  }
  return normal;
}

struct StateSite {
  Index time = 0;
  std::unique_ptr<OutcomeSite> function;
  SiteFactor factor = {};
  SiteIntegrals integrals = {};
};

struct StateRounds {
  const infer::SiteUpdateRow* update = nullptr;
  double power = 1.0, damping = 0.5;
  Index max_rounds = 200;
};

class StateSites {
 public:
  StateSites(const StateModel& states, const StateRounds& options, const char* option)
      : states_(states),
        options_(options),
        densities_(states, option),
        reader_(states, option),
        rng_({.seed = 1, .purpose = kProofStates}) {
    for (Index t = 0; t < states.num_times(); ++t)
      track_.steps.push_back(densities_.transition_step(t));
    smooth();
    for (Index t = 0; t < states.num_times(); ++t)
      if (states.is_observed(t)) add_site(t);
  }

  // The track with an outcome for each factor; its log likelihood is that of the estimate of the evidence.
  GaussianTrack fit() {
    for (Index round = 0; round < options_.max_rounds; ++round) {
      stop_if_asked();
      update_all(options_.damping);
      const std::vector<GaussianState> before = smoothed_;
      smooth();
      if (!(change_from(before) < kSettled)) continue;
      if (!integrals_hold()) continue;
      require_all();
      take_evidence();
      compare_transitions();
      return std::move(track_);
    }
    throw not_settled(options_.max_rounds);
  }

 private:
  static constexpr double kSettled = 1e-6;  // the default of infer::SiteRoundOptions, too
  static constexpr double kSameOutcome = 1e-9;

  // ---- sites

  void add_site(Index time) {
    const GaussianState& at = smoothed_[static_cast<std::size_t>(time)];
    Numbers direction = slope_at(time, at.mean);
    const auto largest =
        std::ranges::max_element(direction, {}, [](double x) { return std::abs(x); });
    if (*largest == 0.0) direction = slope_at(time, random_state(at, 1.0));
    const double scale =
        *std::ranges::max_element(direction, {}, [](double x) { return std::abs(x); });
    if (!(std::abs(scale) > 0.0) || !std::isfinite(scale))
      throw no_site(time, "the density of the outcome has no slope in the state");
    for (double& c : direction) c /= scale;
    sites_.push_back(
        {.time = time, .function = std::make_unique<OutcomeSite>(reader_, time, direction)});
    require_site(sites_.back(), at);
  }
  Numbers slope_at(Index time, const Numbers& state) {
    const Numbers seen = reader_.log_outcomes(time, std::vector<Numbers>{state})[0];
    return {seen.begin() + 1, seen.end()};
  }
  Numbers random_state(const GaussianState& at, double spread) {
    const std::size_t d = at.mean.size();
    Numbers x = at.mean;
    for (std::size_t k = 0; k < d; ++k) {
      const double z = spread * rng_.normal();
      for (std::size_t e = 0; e < d; ++e) x[e] += at.root[k + e * d] * z;
    }
    return x;
  }
  // The outcome's density must be that of the nearest state on the line.
  void require_site(const StateSite& site, const GaussianState& at) {
    for (const double spread : {0.5, 1.0, 1.0, 2.0}) {
      const Numbers x = random_state(at, spread);
      const double s =
          std::inner_product(x.begin(), x.end(), site.function->direction().begin(), 0.0);
      double value = 0.0, slope = 0.0;
      site.function->evaluate(std::span(&s, 1), std::span(&value, 1), std::span(&slope, 1));
      const double there = reader_.log_outcomes(site.time, std::vector<Numbers>{x})[0][0];
      if (!std::isfinite(there) && !std::isfinite(value)) continue;
      if (!(std::abs(value - there) <=
            kSameOutcome * (1.0 + std::abs(there) + std::abs(slope * s))))
        throw no_site(site.time,
                      "the density of the outcome depends on more than one linear combination of "
                      "the elements of the state");
    }
  }

  SiteAt site_at(StateSite& site) const {
    const infer::SiteNormal marginal =
        along(smoothed_[static_cast<std::size_t>(site.time)], site.function->direction());
    SiteAt at{.function = site.function.get(),
              .integrals = &site.integrals,
              .marginal = marginal,
              .cavity = {},
              .factor = site.factor,
              .power = options_.power};
    const double without = 1.0 / marginal.variance - options_.power * site.factor.precision;
    if (without > 0.0)
      at.cavity = {
          .mean =
              (marginal.mean / marginal.variance - options_.power * site.factor.shift) / without,
          .variance = 1.0 / without};
    return at;
  }
  bool can_update(const SiteAt& at, const SiteProposal& found) const {
    return found.exists() && found.precision > 0.0 &&
           (!options_.update->uses_cavity || at.cavity.variance > 0.0);
  }
  SiteProposal proposal(const SiteAt& at) const {
    if (options_.update->uses_cavity && !(at.cavity.variance > 0.0)) return {};
    return options_.update->update(at);
  }
  // Sites without a cavity, or whose factor has no positive precision, keep theirs, and are counted.
  void update_all(double share) {
    skipped_ = {};
    for (StateSite& site : sites_) {
      SiteAt at = site_at(site);
      const SiteProposal found = proposal(at);
      if (!can_update(at, found)) {
        skipped_.push_back(site.time);
        continue;
      }
      const double own = site.factor.precision > 0.0 ? share : 1.0;
      site.factor.precision += own * (found.precision - site.factor.precision);
      site.factor.shift += own * (found.shift - site.factor.shift);
      at.factor = site.factor;
      site.factor.constant = options_.update->constant(at, found);
    }
  }
  // Compares the rules of integrals again where the factors have settled; sets the constants there.
  bool integrals_hold() {
    bool all_hold = true;
    for (StateSite& site : sites_) {
      const SiteIntegrals::Rule before = site.integrals.rule;
      if (before == SiteIntegrals::Rule::hermite)
        site.integrals.rule = SiteIntegrals::Rule::unknown;
      const SiteAt at = site_at(site);
      const SiteProposal found = proposal(at);
      if (can_update(at, found)) site.factor.constant = options_.update->constant(at, found);
      all_hold = all_hold && site.integrals.rule == before;
    }
    return all_hold;
  }
  void require_all() const {
    if (skipped_.empty()) return;
    throw no_site(skipped_.front(),
                  "the outcome has no normal factor: its density isn't log-concave where the state "
                  "is");
  }

  // ---- the states

  void smooth() {
    for (const StateSite& site : sites_) {
      LinearGaussianStep& step = track_.steps[static_cast<std::size_t>(site.time)];
      if (!(site.factor.precision > 0.0)) continue;
      step.observation.assign(site.function->direction().begin(), site.function->direction().end());
      step.observation_offset = {0.0};
      step.observation_noise = {1.0 / site.factor.precision};
      step.outcome = {site.factor.shift / site.factor.precision};
    }
    track_.filtered = numerics::kalman_filter(track_.steps);
    smoothed_ = numerics::rts_smoother(track_.steps, track_.filtered);
  }
  double change_from(std::span<const GaussianState> before) const {
    double largest = 0.0;
    for (std::size_t t = 0; t < before.size(); ++t) {
      const Numbers old = before[t].covariance(), now = smoothed_[t].covariance();
      const std::size_t d = before[t].mean.size();
      for (std::size_t e = 0; e < d; ++e) {
        const std::size_t place = e * (d + 1);
        largest = std::max(
            {largest, std::abs(smoothed_[t].mean[e] - before[t].mean[e]) / std::sqrt(now[place]),
             0.5 * std::abs(numerics::log(now[place] / old[place]))});
      }
    }
    return largest;
  }
  void take_evidence() {
    for (const StateSite& site : sites_) {
      const auto& [precision, shift, constant] = site.factor;
      const double more = constant + 0.5 * shift * shift / precision +
                          0.5 * (kLogTwoPiOfStates - numerics::log(precision));
      track_.filtered.log_increments[static_cast<std::size_t>(site.time)] += more;
      track_.filtered.log_likelihood += more;
    }
  }
  // Along the path of the filter, which has the factors.
  void compare_transitions() {
    for (std::size_t t = 0; t < track_.steps.size(); ++t) {
      LinearGaussianStep step = track_.steps[t];
      step.outcome.clear();
      track_.num_checked += densities_.require_along(
          step, static_cast<Index>(t), t == 0 ? nullptr : &track_.filtered.filtered[t - 1],
          track_.filtered.filtered[t]);
    }
  }

  const StateModel& states_;
  StateRounds options_;
  model::DensityReader densities_;
  model::NormalReader reader_;
  Rng rng_;
  GaussianTrack track_;
  std::vector<GaussianState> smoothed_;
  std::vector<StateSite> sites_;
  std::vector<Index> skipped_;  // times
};

// ---- the rows

constexpr infer::FieldSpec kStateDamping{
    .name = "damping",
    .help = "share of an outcome's new factor; the rest is the old one",
    .range = {.lo = 0.0, .hi = 1.0, .lo_open = true},
    .option = "--damping"};
constexpr infer::FieldSpec kStateRounds{.name = "max_rounds",
                                        .help = "rounds over all outcomes at most",
                                        .range = {.lo = 1.0, .hi = 1e6},
                                        .option = "--max-rounds"};

struct StateCviOptions {
  double damping = 0.5;
  Index max_rounds = 200;
  StateRounds rounds() const {
    return {.update = &infer::site_update_named("expectations"),
            .damping = damping,
            .max_rounds = max_rounds};
  }
  static void describe(auto& self, auto&& field) {
    field(self.damping, kStateDamping);
    field(self.max_rounds, kStateRounds);
  }
};
struct StateEpOptions {
  double power = 1.0, damping = 0.5;
  Index max_rounds = 200;
  StateRounds rounds() const {
    return {.update = &infer::site_update_named("moments"),
            .power = power,
            .damping = damping,
            .max_rounds = max_rounds};
  }
  static void describe(auto& self, auto&& field) {
    field(self.power, infer::FieldSpec{.name = "power",
                                       .help = "power of an outcome that is taken off and put back",
                                       .range = {.lo = 0.0, .hi = 2.0, .lo_open = true},
                                       .option = "--power"});
    field(self.damping, kStateDamping);
    field(self.max_rounds, kStateRounds);
  }
};

template <class Options>
struct SiteSmoother final : Method<Smoother, Options> {
  density::Capability can_follow(const StateModel& states) const override {
    return model::can_be_tracked(states, "--method");
  }
  SmoothedStates run(const StateModel& states, const infer::FilterOptions& options, Index num_paths,
                     Index) const override {
    model::KalmanSmoothing found = model::smoothed_run(
        StateSites(states, this->own.rounds(), "--method").fit(), num_paths, options.seed);
    SmoothedStates result;
    result.num_checked = found.num_checked;
    result.log_likelihood = found.run.log_likelihood;
    result.paths = std::move(found.paths);
    for (const model::KalmanTime& t : found.run.times)
      result.times.push_back(
          {.mean = t.mean, .sd = t.sd, .quantiles = t.quantiles(infer::kFilterLevels)});
    return result;
  }
};
}  // namespace

extern const SmootherMethod cvi_smoother = row_of<SiteSmoother<StateCviOptions>>(
    {.name = "cvi",
     .summary = "linear Gaussian states with outcomes of any density, by the highest bound",
     .reference = "khan2017"});
extern const SmootherMethod ep_smoother = row_of<SiteSmoother<StateEpOptions>>(
    {.name = "ep", .summary = "the same by expectation propagation", .reference = "minka2001"});

}  // namespace credo::filters
