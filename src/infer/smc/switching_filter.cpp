// A time, with weights W of particles (c, m, S) that add up to 1:
//
//   prior     1  where few particles are effective: parents by the scheme, W = 1/N
//             2  c ~ p(c | c_parent);  (m, S), L = one step of the Kalman filter of regime c;  W *= L
//   optimal   1  for all regimes k of all particles: (m, S), L = step of k;  W_k = W p(k | c) L
//             2  where there are more than N: N are kept, those above a threshold as they are, others with the threshold's weight
//
// and the likelihood grows by the sum of W, which is made 1 again.
#include "infer/smc/switching_filter.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/team.hpp"
#include "infer/smc/deal_blocks.hpp"
#include "infer/smc/filter_checkpoints.hpp"
#include "numerics/elementary.hpp"
#include "numerics/special.hpp"

namespace credo::infer {
namespace {
using numerics::GaussianState;
using numerics::SwitchingModel;

struct Candidate {
  Index regime = 0;
  std::int32_t parent = -1, root = 0;
  double weight = 0.0;  // before the outcome; then with it
  double log_increment = 0.0;
  GaussianState state;

  static void saved(auto& self, auto&& field) {
    field(self.regime);
    field(self.parent);
    field(self.root);
    field(self.weight);
    field(self.log_increment);
    field(self.state.mean);
    field(self.state.root);
  }
};

class SwitchingFilter {
 public:
  SwitchingFilter(const SwitchingModel& model, const FilterOptions& options, RegimeMoves moves,
                  Index repeat)
      : model_(model),
        options_(options),
        moves_(moves),
        scheme_(options.scheme != nullptr ? *options.scheme
                                          : resampling_scheme(options.resampling)),
        repeat_(repeat) {
    const Index threads = std::clamp<Index>(options.num_threads, 1, Team::kMost);
    if (threads > 1) team_ = std::make_unique<Team>(threads);
  }

  SwitchingResult run() {
    run_times(*this, model_.num_times(), repeat_, options_.checkpoints);
    return std::move(result_);
  }
  void step(Index time) {
    result_.filtered.times.emplace_back();
    prepare(time);
    moves_ == RegimeMoves::prior ? draw_regimes(time) : branch(time);
    advance();
    weigh(time);
    report_time();
  }
  Index next_time = 0;

  static void saved(auto& self, auto&& field) {
    field(self.next_time);
    field(self.particles_);
    field(self.ess_);
    field(self.result_);
  }

 private:
  Index num_regimes() const { return model_.num_regimes(); }
  Rng stream(Index time, bool resampling) const {
    return Rng({.seed = options_.seed,
                .purpose = purpose::kFilter,
                .chain = static_cast<std::uint32_t>(repeat_ + 1),
                .iteration = static_cast<std::uint32_t>(2 * time + (resampling ? 1 : 0))});
  }
  double chance(Index time, Index before, Index regime) const {
    if (time == 0) return model_.initial[static_cast<std::size_t>(regime)];
    return model_.transition[static_cast<std::size_t>(time)]
                            [static_cast<std::size_t>(before * num_regimes() + regime)];
  }
  void prepare(Index time) {
    prepared_.clear();
    for (const auto& steps : model_.steps)
      prepared_.emplace_back(steps[static_cast<std::size_t>(time)]);
  }

  void draw_regimes(Index time) {
    before_ = std::move(particles_);
    particles_.assign(static_cast<std::size_t>(options_.num_particles), {});
    const double share = 1.0 / static_cast<double>(options_.num_particles);
    std::vector<std::int32_t> parents(particles_.size());
    std::iota(parents.begin(), parents.end(), 0);
    const bool resampled = time > 0 && choose_parents(time, parents);
    Rng rng = stream(time, false);
    for (std::size_t i = 0; i < particles_.size(); ++i) {
      Candidate& particle = particles_[i];
      particle.parent = time == 0 ? -1 : parents[i];
      const Candidate* parent =
          time == 0 ? nullptr : &before_[static_cast<std::size_t>(parents[i])];
      particle.root = parent == nullptr ? parents[i] : parent->root;
      particle.weight = parent == nullptr || resampled ? share : parent->weight;
      particle.regime = draw_regime(time, parent == nullptr ? 0 : parent->regime, rng.uniform());
    }
  }
  Index draw_regime(Index time, Index before, double u) const {
    double reached = 0.0;
    Index last = 0;
    for (Index k = 0; k < num_regimes(); ++k) {
      const double p = chance(time, before, k);
      if (p > 0.0) last = k;
      reached += p;
      if (u < reached) return k;
    }
    return last;  // by rounding
  }
  bool choose_parents(Index time, std::span<std::int32_t> parents) {
    const double least = options_.resample_below * static_cast<double>(options_.num_particles);
    if (options_.resample_below < 1.0 && ess_ >= least) return false;
    std::vector<double> weights;
    for (const Candidate& particle : before_) weights.push_back(particle.weight);
    Rng rng = stream(time, true);
    scheme_.draw({weights, 1.0}, rng, parents);
    result_.filtered.times.back().resampled = true;
    return true;
  }

  // Every regime of every particle.
  void branch(Index time) {
    before_ = std::move(particles_);
    particles_.clear();
    const std::size_t count = time == 0 ? 1 : before_.size();
    for (std::size_t i = 0; i < count; ++i)
      for (Index k = 0; k < num_regimes(); ++k) {
        const Candidate* parent = time == 0 ? nullptr : &before_[i];
        const double p = chance(time, parent == nullptr ? 0 : parent->regime, k);
        if (!(p > 0.0)) continue;
        particles_.push_back(
            {.regime = k,
             .parent = parent == nullptr ? -1 : static_cast<std::int32_t>(i),
             .root = parent == nullptr ? static_cast<std::int32_t>(k) : parent->root,
             .weight = p * (parent == nullptr ? 1.0 : parent->weight),
             .log_increment = 0.0,
             .state = {}});
      }
  }

  // Steps of the Kalman filters.
  void advance() {
    constexpr Index kFew = 64;  // particles
    const Index count = ssize(particles_);
    deal_blocks(team_.get(), (count + kFew - 1) / kFew, [&](Index block, Index) {
      for (Index i = block * kFew; i < std::min(count, (block + 1) * kFew); ++i) {
        Candidate& particle = particles_[static_cast<std::size_t>(i)];
        const GaussianState* parent =
            particle.parent < 0 ? nullptr
                                : &before_[static_cast<std::size_t>(particle.parent)].state;
        particle.state = prepared_[static_cast<std::size_t>(particle.regime)].filtered(
            parent, particle.log_increment);
      }
    });
  }

  void weigh(Index time) {
    double scale = -kInfinity;
    for (const Candidate& particle : particles_) {
      if (std::isnan(particle.log_increment))
        throw Error(ErrorCode::evaluation,
                    fmt::format("at time {}: the outcome has no density in regime {}", time + 1,
                                particle.regime + 1),
                    "observation_lpdf", "its covariance is singular: give it some noise");
      if (particle.weight > 0.0) scale = std::max(scale, particle.log_increment);
    }
    double total = 0.0;
    for (Candidate& particle : particles_) {
      if (particle.weight > 0.0) particle.weight *= numerics::exp(particle.log_increment - scale);
      total += particle.weight;
    }
    if (!(total > 0.0))
      throw Error(
          ErrorCode::evaluation,
          fmt::format("at time {}: no particle has a weight above 0", time + 1), "filter",
          "more particles, or other parameters: the outcome is impossible for every particle");
    for (Candidate& particle : particles_) particle.weight /= total;
    FilteredTime& at = result_.filtered.times.back();
    at.log_increment = scale + numerics::log(total);
    result_.filtered.log_likelihood += at.log_increment;
    if (moves_ == RegimeMoves::optimal && ssize(particles_) > options_.num_particles)
      keep_best(time);
    double squares = 0.0;
    for (const Candidate& particle : particles_) squares += particle.weight * particle.weight;
    ess_ = 1.0 / squares;
  }

  void keep_best(Index time) {
    std::vector<double> weights;
    for (const Candidate& particle : particles_) weights.push_back(particle.weight);
    Rng rng = stream(time, true);
    const std::vector<KeptCandidate> kept =
        optimal_resampling(weights, options_.num_particles, rng.uniform());
    std::vector<Candidate> chosen;
    for (const KeptCandidate& one : kept) {
      chosen.push_back(std::move(particles_[static_cast<std::size_t>(one.candidate)]));
      chosen.back().weight = one.weight;
    }
    particles_ = std::move(chosen);
    result_.filtered.times.back().resampled = true;
  }

  // The distribution of the state is a mixture of normal distributions.
  void report_time() {
    FilteredTime& at = result_.filtered.times.back();
    const std::size_t elements = particles_.front().state.mean.size();
    std::vector<double> regimes(static_cast<std::size_t>(num_regimes()), 0.0);
    std::vector<double> sds(particles_.size() * elements);
    double total = 0.0;  // 1, or near it after optimal resampling
    std::vector<std::int32_t> roots;
    at.mean.assign(elements, 0.0), at.sd.assign(elements, 0.0);
    for (std::size_t i = 0; i < particles_.size(); ++i) {
      const Candidate& particle = particles_[i];
      total += particle.weight;
      regimes[static_cast<std::size_t>(particle.regime)] += particle.weight;
      at.max_weight = std::max(at.max_weight, particle.weight);
      roots.push_back(particle.root);
      const std::vector<double> covariance = particle.state.covariance();
      for (std::size_t e = 0; e < elements; ++e) {
        at.mean[e] += particle.weight * particle.state.mean[e];
        sds[i * elements + e] = std::sqrt(covariance[e * (elements + 1)]);
      }
    }
    for (double& mean : at.mean) mean /= total;
    for (double& p : regimes) p /= total;
    for (std::size_t e = 0; e < elements; ++e) {
      double variance = 0.0;
      for (std::size_t i = 0; i < particles_.size(); ++i) {
        const double apart = particles_[i].state.mean[e] - at.mean[e], sd = sds[i * elements + e];
        variance += particles_[i].weight / total * (sd * sd + apart * apart);
      }
      at.sd[e] = std::sqrt(variance);
    }
    at.ess = ess_;
    std::ranges::sort(roots);
    at.num_roots = std::unique(roots.begin(), roots.end()) - roots.begin();
    if (options_.quantiles)
      for (const double level : options_.levels)
        for (std::size_t e = 0; e < elements; ++e)
          at.quantiles.push_back(quantile(level, e, elements, sds, total));
    result_.regimes.push_back(std::move(regimes));
  }

  // By bisection between quantiles of the components.
  double quantile(double level, std::size_t e, std::size_t elements, std::span<const double> sds,
                  double total) const {
    double low = kInfinity, high = -kInfinity;
    const double z = numerics::inv_phi(level);
    for (std::size_t i = 0; i < particles_.size(); ++i) {
      if (!(particles_[i].weight > 0.0)) continue;
      const double own = particles_[i].state.mean[e] + z * sds[i * elements + e];
      low = std::min(low, own), high = std::max(high, own);
    }
    for (int k = 0; k < 60 && high - low > 1e-12 * (std::abs(low) + std::abs(high)); ++k) {
      const double middle = 0.5 * (low + high);
      double below = 0.0;
      for (std::size_t i = 0; i < particles_.size(); ++i)
        below += particles_[i].weight *
                 numerics::phi((middle - particles_[i].state.mean[e]) / sds[i * elements + e]);
      (below < level * total ? low : high) = middle;
    }
    return 0.5 * (low + high);
  }

  const SwitchingModel& model_;
  const FilterOptions& options_;
  RegimeMoves moves_;
  const ResamplingScheme& scheme_;
  Index repeat_;
  std::unique_ptr<Team> team_;
  std::vector<numerics::PreparedStep> prepared_;  // one per regime, at this time
  std::vector<Candidate> before_, particles_;
  double ess_ = 0.0;
  SwitchingResult result_;
};
}  // namespace

SwitchingResult run_switching_filter(const SwitchingModel& model, const FilterOptions& options,
                                     RegimeMoves moves, Index repeat) {
  validate(options);
  return SwitchingFilter(model, options, moves, repeat).run();
}

}  // namespace credo::infer
