// With y = x + L w, g the gradient in the coordinates w and z ~ N(0, scale²) each:
//
//   w_d = z_d with probability 1 / (1 + exp(-z_d g_d(x))), else -z_d
//   A = min(1, π(y) / π(x) Π_d (1 + exp(-w_d g_d(x))) / (1 + exp(w_d g_d(y))))
#include "infer/mcmc/langevin/barker.hpp"

#include "infer/core/chain.hpp"
#include "infer/mcmc/hamiltonian/hamiltonian.hpp"
#include "numerics/elementary.hpp"

namespace credo::infer {

Step<MetropolisInfo> Barker::step(PointState& current, Rng& rng) {
  propose(current, rng);
  const Evaluation at = co_await evaluate(candidate_.position, candidate_.gradient);
  settings.metric.shape_gradient(candidate_.gradient, slope_there_);
  const double log_ratio_of_densities = at.log_density - current.log_density;
  const MetropolisInfo info = decide(current, candidate_.position, at.log_density,
                                     log_ratio_of_densities + log_ratio(), rng);
  if (info.accepted) std::swap(current.gradient, candidate_.gradient);
  co_return info;
}

Barker::Barker(const BarkerOptions& options_, Index dimension)
    : options(options_),
      settings{.scale = options_.scale > 0.0 ? options_.scale : optimal_walk_scale(dimension),
               .metric = Metric(options_.metric, dimension)},
      candidate_(make_point(dimension, true)),
      move_(static_cast<std::size_t>(dimension)),
      slope_(move_.size()),
      slope_there_(move_.size()) {}

void Barker::propose(const PointState& current, Rng& rng) {
  settings.metric.shape_gradient(current.gradient, slope_);
  for (std::size_t d = 0; d < move_.size(); ++d) {
    const double z = settings.scale * rng.normal();
    move_[d] = rng.uniform() < numerics::inv_logit(z * slope_[d]) ? z : -z;
  }
  settings.metric.shape_move(move_, candidate_.position);
  for (std::size_t d = 0; d < move_.size(); ++d) candidate_.position[d] += current.position[d];
}

double Barker::log_ratio() const {
  double sum = 0.0;
  for (std::size_t d = 0; d < move_.size(); ++d)
    sum += numerics::log1p_exp(-move_[d] * slope_[d]) -
           numerics::log1p_exp(move_[d] * slope_there_[d]);
  return sum;
}

extern const SamplerSpec kBarker;
const SamplerSpec kBarker = sampler_row<Barker, ScaleAdaptation>(
    {.name = "barker",
     .summary = "Barker proposal: gradients choose signs; robust to a bad scale",
     .reference = "livingstone2022"});

}  // namespace credo::infer
