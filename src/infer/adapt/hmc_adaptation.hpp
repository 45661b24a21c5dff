// The adaptation of Hamiltonian kernels: windowed warm-up with a step size search at its start and
// after each new metric.
#pragma once
#include "infer/adapt/step_size_search.hpp"
#include "infer/adapt/warmup.hpp"
#include "infer/core/sample.hpp"

namespace credo::infer {

class HmcAdaptation {
 public:
  // The kernel's own target, if it has one, stands for the run's.
  HmcAdaptation(const SampleOptions& options, const auto& kernel)
      : HmcAdaptation(adapt_options(options, kernel), options.num_warmup, kernel.settings.metric) {}

  bool learn(Index iteration, const auto& info, const HmcState& state, auto& kernel) {
    return warmup_.learn(iteration, info.accept_stat, state, kernel.settings);
  }
  Step<Nothing> search(auto& kernel, const HmcState& state, Rng rng) {
    return search_for(kernel.settings, state, rng);
  }
  void finish(auto& kernel) const { warmup_.finish(kernel.settings); }
  static void saved(auto& self, auto&& field) { field(self.warmup_); }

 private:
  HmcAdaptation(const AdaptOptions& options, Index num_warmup, const Metric& metric);
  static AdaptOptions adapt_options(const SampleOptions& options, const auto& kernel) {
    AdaptOptions adapt = options.adapt;
    if constexpr (requires { kernel.options.target_accept; })
      adapt.step_size.target_accept = kernel.options.target_accept;
    return adapt;
  }
  Step<Nothing> search_for(HmcSettings& settings, const HmcState& state, Rng rng);

  WarmupAdaptation warmup_;
  PhasePoints scratch_;
};

// Step size and metric.
void report_settings(const HmcSettings& settings, ChainResult& result);

}  // namespace credo::infer
