// Riemann manifold HMC [girolami2011, sec. 5]: a momentum from the normal whose covariance is the
// metric at the present point, a trajectory of fixed length by the generalised leapfrog, and a
// Metropolis decision on its end. The momentum isn't kept, so its flip at the end is left out.
#include "infer/mcmc/hamiltonian/riemann.hpp"

#include "infer/core/chain.hpp"
#include "infer/mcmc/hamiltonian/hamiltonian.hpp"

namespace credo::infer {

Step<RiemannInfo> Riemann::step(PointState& current, Rng& rng) {
  RiemannPoint *start = &points_[0], *from = start, *to = &points_[1], *other = &points_[2];
  start->copy_from(current);
  start->energy = kInfinity;
  end_ = start;
  by_.num_iterations = 0;
  StepOutcome outcome = co_await by_.measure(*start);
  if (outcome == StepOutcome::done) draw_momentum(*start, rng);
  Index num_done = 0;
  const Index num_steps = num_steps_of_trajectory();
  while (num_done < num_steps && outcome == StepOutcome::done) {
    outcome = co_await by_.leap({from, to, settings.step_size});
    ++num_done;
    from = end_ = to;
    std::swap(to, other);
  }
  const bool whole = outcome == StepOutcome::done;
  energy_error_ = whole ? energy_error(end_->energy, start->energy) : kInfinity;
  const double accept_prob = metropolis_prob(-energy_error_);
  const RiemannPoint& draw = rng.uniform() < accept_prob ? *end_ : *start;
  draw.copy_to(current);
  co_return RiemannInfo{.log_density = draw.log_density,
                        .accept_stat = accept_prob,
                        .step_size = settings.step_size,
                        .num_leapfrog = num_done,
                        .num_iterations = by_.num_iterations,
                        .divergent = is_divergent(energy_error_),
                        .not_settled = outcome == StepOutcome::not_settled,
                        .not_reversible = outcome == StepOutcome::not_reversible,
                        .energy = draw.energy};
}

ImplicitOptions RiemannOptions::implicit() const {
  return {.metric = {.kind = local_metric, .softabs_alpha = softabs_alpha},
          .tolerance = tolerance,
          .max_iterations = max_iterations,
          .check_reversal = check_reversal,
          .reversal_tolerance = reversal_tolerance};
}

void Riemann::check(const RiemannOptions& options, const density::LogDensity& density) {
  check_has_matrix(options.implicit().metric, density, "riemann");
}

Riemann::Riemann(const RiemannOptions& options_, Index dimension)
    : options(options_),
      settings{.step_size = options_.step_size},
      by_(options_.implicit(), dimension),
      points_{RiemannPoint(by_.options.metric, dimension),
              RiemannPoint(by_.options.metric, dimension),
              RiemannPoint(by_.options.metric, dimension)},
      end_(&points_[0]),
      noise_(static_cast<std::size_t>(dimension)) {}

void Riemann::draw_momentum(RiemannPoint& point, Rng& rng) {
  for (double& z : noise_) z = rng.normal();
  point.metric.shape_momentum(noise_, point.momentum);
  point.set_energy();
}

Index Riemann::num_steps_of_trajectory() const {
  const double steps = options.integration_time / settings.step_size;
  return static_cast<Index>(std::clamp(steps, 1.0, static_cast<double>(options.max_leapfrog)));
}

void report_settings(const RiemannSettings& settings, ChainResult& result) {
  result.step_size = settings.step_size;
}

extern const SamplerSpec kRiemann;
const SamplerSpec kRiemann = sampler_row<Riemann, RiemannAdaptation>(
    {.name = "riemann",
     .summary = "Hamiltonian Monte Carlo with a metric that varies with the position (SoftAbs, "
                "Fisher)",
     .reference = "girolami2011"});

}  // namespace credo::infer
