// Moves all particles of a population by any one kernel. Neighbours make a part; threads take part after part.
// A few copies of the kernel, a crew, take particle after particle of a part, so that their questions make batches; what a
// particle does depends on its own stream only.
//
// The kernel moves in coordinates z in which the population is standardised, x = m + s L z with m the
// particles' mean and L Lᵀ their covariance, so that any kernel with its default settings fits; the scale s
// follows the acceptance. All of these stay as they are while particles move: then the kernel is one that
// leaves its density invariant, even one that uses the origin.
#pragma once
#include "infer/core/recorder.hpp"
#include "infer/core/transition_kernel.hpp"
#include "infer/smc/particles.hpp"
#include "infer/smc/tempered_smc.hpp"

namespace credo::infer {

// The kernel that moves particles.
ChosenRow mover_of(const SmcOptions& options, bool has_gradient);

// Warning of a run whose mover is biased.
std::optional<std::string> biased_mover(const SmcOptions& options, bool has_gradient);

// Mean and covariance of particles by their weights, for coordinates x = centre + L z; off the diagonal it is shrunk, so that a
// dense one is positive definite with few particles, too. If a coordinate doesn't vary, both stay.
void standardise(const Particles& particles, std::vector<double>& centre, Metric& metric);

class MoveCrew final : public PooledKernel {
 public:
  // Throws Error(usage) for a sampler that can't move a point, or needs a gradient that isn't there.
  MoveCrew(const RunContext& context, const SmcOptions& options);

  // Takes mean and covariance of the particles for the coordinates in which the kernel moves; where a
  // coordinate doesn't vary, the last ones stay.
  void standardise(const Particles& particles) { infer::standardise(particles, centre_, metric_); }
  // Moves those that have a finite log density, at the place `inverse_temperature` of the path, until they are as far
  // from where they were as the options ask. The log densities of the particles must be those there; afterwards they
  // aren't known. `rows`: density/rows_path.hpp.
  Step<Nothing> move(PopulationState& particles, Index chain, Index stage,
                     double inverse_temperature, std::span<const double> rows = {});

  // Waste-free: the first of each `length` particles begins a chain, whose states, a move apart, become the others. The log
  // densities of the first ones must be those at the place; afterwards none is known.
  Step<Nothing> walk_chains(PopulationState& particles, Index chain, Index stage,
                            double inverse_temperature, Index length);

  // Figures of the last move.
  double mean_acceptance() const;  // NaN of a kernel that has none
  Index num_divergent() const;
  Index num_moves() const { return num_moves_; }  // moves of each particle, or in each chain
  SmcInfo info_of(const Particles& particles, Index i) const;
  double scale() const { return scale_; }
  void tune_scale();

  // The particle's own stream.
  Rng stream(std::uint32_t purpose, Index chain, Index particle, Index iteration) const;

  static void saved(auto& self, auto&& field) {
    field(self.scale_);
    field(self.centre_);
    field(self.metric_);
  }

 private:
  struct Member;
  class Part;
  Step<Nothing> move_all();
  Index most_rounds() const;
  void place(std::span<const double> z, Member& member) const;

  const RunContext& context_;
  const SmcOptions& options_;
  ChosenRow mover_;
  KernelMaker make_;
  bool has_gradient_;
  Index dimension_;
  double scale_ = 1.0;  // scale of the moves, in standard deviations
  std::vector<double> centre_;
  Metric metric_;
  std::vector<PartInfo> infos_;  // by particle
  Index num_moves_ = 0;

  struct Task {
    PopulationState* particles = nullptr;
    Index chain = 0, round = 0;  // counted over all stages
    double inverse_temperature = 1.0;
    Index length = 1;  // length of waste-free chains
    std::span<const double> rows = {};
  } task_;
};

// The largest correlation, over coordinates, of particles before and after their moves; 0 if no coordinate varies.
// Points one after another.
double largest_correlation(std::span<const double> before, std::span<const double> after,
                           Index dimension);

}  // namespace credo::infer
