// Times of gradients and of whole runs, for `credo bench`.
#pragma once
#include "base/processors.hpp"
#include "infer/core/sample.hpp"
#include "model/model.hpp"

namespace credo::cli {

double clock_seconds();
double peak_mib();  // peak memory of the process so far

// Gradients at points that stay the same, near `centre` (NaN: 0; none: the origin) and different in
// every lane. Runs the traced path itself: the number of lanes is the requested one, even if an
// evaluator would choose another.
class GradientRunner {
 public:
  GradientRunner(std::shared_ptr<const model::TracedDensity> traced, Index lanes, Index threads = 1,
                 std::span<const double> centre = {});
  void run();  // one batch: inputs in, gradients out
  Index lanes() const { return ssize(positions_); }
  bool splits() const { return workspace_.splits(); }  // more threads would make a difference
  graph::Workspace& workspace() { return workspace_; }

 private:
  std::shared_ptr<const model::TracedDensity> traced_;
  Team team_;
  graph::Workspace workspace_;
  std::vector<std::vector<double>> positions_;
  std::vector<double> gradient_;
};

// Per point: the median over seven repetitions of at least 10 ms each.
double microseconds_per_gradient(GradientRunner& runner);

struct LeapfrogTime {
  double microseconds = kNaN;  // clock time divided by the steps of all chains; NaN: no run
  Index num_steps = 0, num_chains = 0, num_threads = 0, num_warmup = 0, num_draws = 0;
  std::string failure;  // why there is no run
};

// A run of NUTS with its outputs; warm-up counts, too. Without a number of warm-up iterations or
// draws (0) as many as take about a second.
LeapfrogTime time_leapfrogs(const model::Model& model, infer::SampleOptions options,
                            double microseconds_per_gradient);

}  // namespace credo::cli
