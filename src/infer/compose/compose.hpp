// Kernels made of kernels, as values.
//
//   const KernelMaker sweep = cycle({on_coordinates({0, 1}, kernel("nuts")),
//                                    on_coordinates({2}, kernel("slice"))});
//   run_kernel(density, {.num_draws = 1000}, sweep, store);
//
// Each composition of kernels that leave the target invariant leaves it invariant. A mixture and a
// palindrome of reversible kernels are reversible, a cycle isn't. Compositions compose.
#pragma once
#include "infer/core/transition_kernel.hpp"
#include "infer/mcmc/info_fields.hpp"

namespace credo::infer {

// A row of the table by its name, with its own or default options. Throws Error(usage) for an
// ensemble, which moves many points, and for kernels that ask for second derivatives.
KernelMaker kernel(std::string_view sampler, const KernelOptions& options = {});

// Moves these coordinates of the unconstrained vector only. Inside of on_coordinates, places among those.
KernelMaker on_coordinates(std::vector<Index> coordinates, KernelMaker part);

// Throws Error(usage) for no weight, and for one that isn't finite and > 0.
void check_weights(std::span<const double> weights);

struct WeightedKernel {
  double weight;
  KernelMaker kernel;
};
// Runs one of the parts, with probability ∝ weight > 0.
KernelMaker mixture(std::vector<WeightedKernel> parts);
// One after another; in an order drawn anew each time; there and back, the last one twice.
KernelMaker cycle(std::vector<KernelMaker> parts);
KernelMaker shuffled_cycle(std::vector<KernelMaker> parts);
KernelMaker palindrome(std::vector<KernelMaker> parts);

// Like run_chains; options.sampler and options.kernel are ignored.
RunResult run_kernel(const density::LogDensity& density, const SampleOptions& options,
                     const KernelMaker& kernel, DrawSink& sink);

// ---- as a kernel of the frame ----

struct ComposedOptions {
  KernelMaker make;
  SampleOptions run;
  bool has_gradient = true;  // the log density

  static void describe(auto&, auto&&) {}  // a composition has no text
};

struct ComposedInfo {
  double log_density = 0.0;
  double accept_stat = 0.0;  // mean over the parts that have one
  Index num_evaluations = 0;
  Index num_divergent = 0;  // trajectories of the parts
  bool divergent = false;   // one at least

  static void describe(auto& self, auto&& field) {
    field(self.log_density, kLogDensityColumn);
    field(self.accept_stat, kAcceptColumn);
    field(self.num_evaluations, kEvaluationsColumn);
    field(
        self.num_divergent,
        FieldSpec{.name = "num_divergent", .help = "divergent trajectories", .range = at_least(0)});
    field(self.divergent, kDivergentColumn);
  }
};

class Composed final : public PooledKernel {
 public:
  using Options = ComposedOptions;
  using State = PointState;
  using Info = ComposedInfo;
  static constexpr bool kNeedsGradient = false;  // the parts ask for theirs

  Composed(const ComposedOptions& options, Index dimension);
  Step<ComposedInfo> step(PointState& current, Rng& rng);

  ComposedOptions options;
  std::unique_ptr<TransitionKernel> root;
  struct Settings {
    const TransitionKernel* root;
    static void saved(auto&, auto&&) {}  // all is the root's
  } settings;
  static void saved(auto& self, auto&& field) { field(self.root); }
};
void report_settings(const Composed::Settings& settings, ChainResult& result);

}  // namespace credo::infer
