// Warm-up of Hamiltonian kernels: dual averaging of the step size, windows for the metric.
#pragma once
#include "infer/adapt/options.hpp"
#include "infer/adapt/welford.hpp"
#include "infer/mcmc/hamiltonian/hamiltonian.hpp"

namespace credo::infer {

// The last moves of a chain with the changes of the gradient, which the metric lbfgs is made of.
class GradientPath {
 public:
  GradientPath(Index memory, Index dimension);
  void restart() { num_moves_ = 0; }  // the last point stays: the next move begins there
  void add(const HmcState& state);    // a point that the chain didn't leave is no move
  // Adds the moves to the metric, the oldest first.
  void add_pairs_to(Metric& metric) const;
  static void saved(auto& self, auto&& field) {
    field(self.has_point_);
    field(self.num_moves_);
    field(self.position_);
    field(self.gradient_);
    field(self.s_);
    field(self.y_);
  }

 private:
  bool has_point_ = false;
  std::size_t n_, memory_, num_moves_ = 0;  // all moves, of which the last are kept in turn
  std::vector<double> position_, gradient_, s_, y_;
};

// Watches the transitions of one chain and proposes settings. Plain data.
class WarmupAdaptation {
 public:
  WarmupAdaptation(const AdaptOptions& options, Index num_warmup, MetricKind kind, Index dimension);

  // Start, and after each new metric: a step size has been searched for.
  void restart_step_size(const HmcSettings& settings) { averaging_.restart(settings.step_size); }
  // After warm-up transition `iteration` (from 0). True if the metric is new, so that a step size
  // must be searched for. Throws Error(evaluation) if the draws give no metric.
  bool learn(Index iteration, double accept_stat, const HmcState& state, HmcSettings& settings);
  // After the last: the averaged step size.
  void finish(HmcSettings& settings) const;
  static void saved(auto& self, auto&& field) {
    field(self.window_);
    field(self.averaging_);
    field(self.moments_);
    field(self.path_);
  }

 private:
  bool in_window(Index iteration) const;
  void update_metric(HmcSettings& settings);

  WarmupSchedule schedule_;
  std::size_t window_ = 0;  // the next to end
  DualAveraging averaging_;
  Welford moments_;
  GradientPath path_;
};

}  // namespace credo::infer
