// The probability of a rare event by the cross-entropy method [rubinstein2004; murphy2023, 13.6.4]: the levels of
// infer/smc/splitting.hpp, with a distribution that is fitted to the survivors of each in the place of Markov moves.
#pragma once
#include "infer/smc/splitting.hpp"

namespace credo::infer {

struct CrossEntropyOptions {
  double kept = 0.2;      // share of the draws that survives a level
  double log_mass = 0.0;  // of the distribution as its density is written; 0: it is normalised
  Index num_particles = 1000, num_populations = 8, num_threads = 0;
  std::uint64_t seed = 1;
  bool weighs = true;  // false: a fault, for tests

  static void describe(auto& self, auto&& field) {
    SplittingOptions::describe_populations(self, field);
    field(self.kept, FieldSpec{.name = "kept",
                               .help = "share of the draws that survives a level",
                               .range = between(0, 1)});
  }
};

// P(S > value) under `distribution`, as rare_event() has it. Unbiased where log_mass is right: the draws that are
// counted are independent of the distribution that is fitted. Throws as rare_event() does.
RareEvent cross_entropy(const density::LogDensity& distribution, const MakeScores& scores,
                        double value, const CrossEntropyOptions& options);

}  // namespace credo::infer
