// Kernels that move the particles of a population, or the parameters of particle Gibbs: every row of the table that moves one
// point, with options of its own.
#pragma once
#include "infer/core/transition_kernel.hpp"

namespace credo::infer {

extern const RowTable kMovers;            // movers of populations: they don't warm up
extern const RowTable kMoversWithWarmup;  // the same rows

inline constexpr FieldSpec kMoverField{
    .name = "mover",
    .help =
        "sampler that moves the particles; empty: nuts, or slice "
        "without a gradient",
    .rows = &kMovers};

// Throws Error(usage) for a row that can't be a mover, with the reason, and for one that lacks the gradient it needs.
void require_mover(const ChosenRow& mover, const RowTable& table, bool has_gradient);
KernelMaker mover_kernel(const ChosenRow& mover, const RowTable& table);

// Moves these coordinates of a density within another kernel, with warm-up; null without coordinates. A mover without a name is nuts, or ram for a
// density that has no gradient.
std::unique_ptr<TransitionKernel> mover_of(const std::vector<Index>& coordinates, ChosenRow mover,
                                           const density::LogDensity& density,
                                           const SampleOptions& run);

// Warm-up of a kernel's mover, `kernel.parameters`, which may be null.
class MoverAdaptation {
 public:
  MoverAdaptation(const SampleOptions&, const auto&) {}
  bool learn(Index, const auto&, const PointState&, auto& kernel) {
    return kernel.parameters != nullptr && kernel.parameters->learn();
  }
  template <class Kernel>
  Step<Nothing> search(Kernel& kernel, PointState& state, Rng rng) {
    if (kernel.parameters != nullptr) co_await kernel.parameters->search(state, rng);
    co_return Nothing{};
  }
  void finish(auto& kernel) const {
    if (kernel.parameters != nullptr) kernel.parameters->finish();
  }
  static void saved(auto&, auto&&) {}
};

}  // namespace credo::infer
