// Particle marginal Metropolis-Hastings [andrieu2010, sec. 2.4.2]: a random walk on the parameters, whose likelihood is what a
// particle filter estimates; and particle independent Metropolis-Hastings [andrieu2010, sec. 2.4.1], of programs that have no
// parameters beside the states: a filter's run is the proposal.
#pragma once
#include "infer/mcmc/walk/rwm.hpp"
#include "infer/pmcmc/particle_likelihood.hpp"

namespace credo::infer {

struct PmmhOptions {
  FilterMoves moves = {};
  double scale = 0.0;
  MetricKind metric = MetricKind::dense;
  double target_accept = 0.0;
  double correlation = 0.0;

  static void describe(auto& self, auto&& field) {
    FilterMoves::describe(self.moves, field);
    field(self.scale, kWalkScaleField);
    field(self.metric, FieldSpec{.name = "metric",
                                 .help = "shape of the metric that warm-up estimates",
                                 .stan_name = "metric"});
    field(self.target_accept, kWalkTargetField);
    field(self.correlation,
          FieldSpec{.name = "correlation",
                    .help = "probability with which a time of the filter keeps its random numbers "
                            "from one estimate to the next; 0: all are new",
                    .range = {.lo = 0.0, .hi = 1.0, .hi_open = true}});
  }
  RwmOptions of_walk() const {
    return {.scale = scale, .metric = metric, .target_accept = target_accept};
  }
};

struct PmmhInfo {
  double log_density = 0.0, accept_stat = 0.0;
  bool accepted = false;
  double log_likelihood = 0.0;

  static void describe(auto& self, auto&& field) {
    field(self.log_density, kLogDensityColumn);
    field(self.accept_stat, kAcceptColumn);
    field(self.accepted, kAcceptedColumn);
    field(self.log_likelihood, kLogLikelihoodColumn);
  }
};

// The walk of the table, on the parameters; it asks for their log density, and is answered with the estimate.
class ParticleMarginal final : public PooledKernel {
 public:
  using Options = PmmhOptions;
  using State = EstimatedPoint;
  using Info = PmmhInfo;
  static constexpr bool kNeedsGradient = false;

  ParticleMarginal(const PmmhOptions& options, const density::LogDensity& density);
  static void check(const PmmhOptions& options, const density::LogDensity& density);
  Step<PmmhInfo> step(EstimatedPoint& current, Rng& rng);
  void conclude(ChainResult& result) const;
  void measure_next() { measures_ = true; }  // how much the estimate varies, at the next transition
  // The parameters of a point, with the log of what the walk takes for their density.
  const PointState& parameters_of(const EstimatedPoint& point);

  PmmhOptions options;
  struct Settings {
    Rwm walk;
    static void saved(auto& self, auto&& field) { field(self.walk.settings); }
  };

 private:
  ParticleLikelihood likelihood_;
  PointState parameters_;
  EstimatedPoint candidate_;
  bool measures_ = false;
  // Spread of the log likelihood between runs, and of its difference between runs with common random numbers, after warm-up.
  double spread_ = kNaN, ratio_spread_ = kNaN;

 public:
  Settings settings;
  static void saved(auto& self, auto&& field) {
    field(self.likelihood_);
    field(self.measures_);
    field(self.spread_);
    field(self.ratio_spread_);
  }
};
void report_settings(const ParticleMarginal::Settings& settings, ChainResult& result);

struct PimhOptions {
  FilterMoves moves = {};

  static void describe(auto& self, auto&& field) { FilterMoves::describe(self.moves, field); }
};

class ParticleIndependent final : public PooledKernel {
 public:
  using Options = PimhOptions;
  using State = EstimatedPoint;
  using Info = PmmhInfo;
  static constexpr bool kNeedsGradient = false;

  ParticleIndependent(const PimhOptions& options, const density::LogDensity& density);
  static void check(const PimhOptions& options, const density::LogDensity& density);
  Step<PmmhInfo> step(EstimatedPoint& current, Rng& rng);

  PimhOptions options;
  NoSettings settings;

 private:
  ParticleLikelihood likelihood_;
  EstimatedPoint candidate_;
};

}  // namespace credo::infer
