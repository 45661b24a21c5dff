// The adaptation of Hamiltonian kernels: windowed warm-up with a step size search at its start and
// after each new metric.
#pragma once
#include "infer/adapt/step_size_search.hpp"
#include "infer/sample.hpp"

namespace credo::infer {

class HmcAdaptation {
 public:
  HmcAdaptation(const SampleOptions& options, const auto& kernel)
      : HmcAdaptation(options, kernel.settings.metric) {}

  bool learn(Index iteration, const auto& info, const HmcState& state, auto& kernel) {
    return warmup_.learn(iteration, info.accept_stat, state, kernel.settings);
  }
  Step<Nothing> search(auto& kernel, const HmcState& state, Rng rng) {
    return search_for(kernel.settings, state, rng);
  }
  void finish(auto& kernel) const { warmup_.finish(kernel.settings); }

 private:
  HmcAdaptation(const SampleOptions& options, const Metric& metric);
  Step<Nothing> search_for(HmcSettings& settings, const HmcState& state, Rng rng);

  WarmupAdaptation warmup_;
  PhasePoints scratch_;
};

// Step size and metric.
void tell(const HmcSettings& settings, ChainResult& result);

}  // namespace credo::infer
