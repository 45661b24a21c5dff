// The probability of a rare event under a distribution that can be drawn from, by levels [cerou2012; murphy2023,
// 13.6.4]:
//
//   P(S(x) > s*) = Π_t P(S > λ_t | S >= λ_{t-1}),   λ_t the quantile of the scores that leaves a share of the particles
//
// At each level the particles below die, the others are resampled and moved by a kernel that leaves the distribution
// on {S >= λ_t} invariant.
#pragma once
#include "infer/core/sample.hpp"

namespace credo::infer {

// Scores of so many positions, one after another. Called from several threads at once, each with a copy of its own.
// NaN: below every level.
using LevelScores =
    std::function<void(std::span<const double> positions, std::span<double> scores)>;
using MakeScores = std::function<LevelScores()>;

struct SplittingOptions {
  double kept = 0.5;    // share of the particles that survives a level
  Index num_moves = 3;  // of each particle at each level
  Index num_particles = 1000, num_populations = 8, num_threads = 0;
  std::uint64_t seed = 1;

  static void describe(auto& self, auto&& field) {
    describe_populations(self, field);
    field(self.kept, FieldSpec{.name = "kept",
                               .help = "share of the particles that survives a level",
                               .range = between(0, 1)});
    field(self.num_moves, FieldSpec{.name = "moves",
                                    .help = "moves of each particle at each level",
                                    .range = at_least(1)});
  }
  static void describe_populations(auto& self, auto&& field) {
    field(self.num_particles,
          FieldSpec{
              .name = "particles", .help = "particles of each population", .range = at_least(20)});
    field(
        self.num_populations,
        FieldSpec{.name = "populations", .help = "independent populations", .range = at_least(1)});
  }
};

struct RareEvent {
  LogEvidence log_probability;  // over all populations; NaN if none reached s*
  std::vector<double> levels;   // of the first one; the last is s*, where it was reached
  Index num_evaluations = 0;
  // If no population reached s*: the logarithm of an upper bound of the probability, estimated by the populations,
  // and the highest level that one of them reached.
  double log_bound = kNaN, highest = kNaN;
  bool is_bound() const { return !std::isnan(log_bound); }
};

// True if a population should give up: its levels rise so slowly that the value is thousands of levels away, or the
// remaining probability is negligible. An event that can't happen ends so.
bool is_out_of_reach(std::span<const double> levels, double value, double log_probability);

// P(S > value) under the distribution `distribution`. Throws Error(usage) if no draws can be made from `distribution`.
RareEvent rare_event(const density::LogDensity& distribution, const MakeScores& scores,
                     double value, const SplittingOptions& options);

}  // namespace credo::infer
