// One line for each discrete kernel: its exact matrix, then what it must hold.
//
//   const auto chain = infer::finite::transition_matrix(kernel, states);
//   EXPECT_TRUE(leaves_invariant(chain, weights));     fails with the state and the factor
//   EXPECT_TRUE(converges(chain, weights));            invariant, irreducible and aperiodic
//   EXPECT_TRUE(in_detailed_balance(chain, weights));
//   EXPECT_FALSE(leaves_invariant(mutant, weights));
#pragma once
#include <gtest/gtest.h>

#include "infer/core/step.hpp"
#include "infer/finite/chain_distributions.hpp"
#include "infer/finite/explore.hpp"
#include "infer/finite/kernels.hpp"
#include "support/test_seed.hpp"

namespace credo::testing {

inline ::testing::AssertionResult as_result(bool holds, const infer::finite::Verdict& verdict) {
  return (holds ? ::testing::AssertionSuccess() : ::testing::AssertionFailure()) << verdict.faults;
}

inline ::testing::AssertionResult leaves_invariant(const infer::finite::FiniteChain& chain,
                                                   std::span<const double> target) {
  const infer::finite::Verdict verdict = infer::finite::judge(chain, target);
  return as_result(verdict.leaves_target, verdict);
}

inline ::testing::AssertionResult converges(const infer::finite::FiniteChain& chain,
                                            std::span<const double> target) {
  const infer::finite::Verdict verdict = infer::finite::judge(chain, target);
  return as_result(verdict.converges_to_target(), verdict);
}

inline ::testing::AssertionResult in_detailed_balance(const infer::finite::FiniteChain& chain,
                                                      std::span<const double> target) {
  const infer::finite::Verdict verdict = infer::finite::judge(chain, target);
  return as_result(verdict.reversible, verdict);
}

// All states of a product space, in its order.
inline std::vector<std::vector<Index>> states_of(const infer::finite::ProductSpace& space) {
  std::vector<std::vector<Index>> states;
  for (Index s = 0; s < space.num_states(); ++s) states.push_back(space.decode(s));
  return states;
}

// Runs a Step by itself, with a function of the position for a density: what explores a kernel that
// asks for evaluations.
template <class T, class LogDensity>
T run_with(infer::Step<T> step, const LogDensity& log_density) {
  for (step.resume(); !step.done(); step.resume()) {
    density::Request& request = step.pending()->request;
    request.log_density = log_density(request.position);
  }
  return step.result();
}

// ---- an Ising model on a rows x cols grid, spins 0 or 1 standing for -1 or +1 ----

struct IsingGrid {
  Index rows = 2, cols = 2;
  double coupling = 0.5;  // J: the weight is exp(J sum over edges of s_i s_j)

  Index num_sites() const { return rows * cols; }
  infer::finite::ProductSpace space() const { return std::vector<Index>(num_sites(), Index{2}); }
  std::vector<std::pair<Index, Index>> edges() const {
    std::vector<std::pair<Index, Index>> all;
    for (Index i = 0; i < num_sites(); ++i) {
      if (i % cols + 1 < cols) all.emplace_back(i, i + 1);
      if (i + cols < num_sites()) all.emplace_back(i, i + cols);
    }
    return all;
  }
  double log_weight(std::span<const Index> spins) const {
    double sum = 0.0;
    for (const auto& [i, j] : edges()) sum += spins[i] == spins[j] ? coupling : -coupling;
    return sum;
  }
  std::vector<double> weights() const {
    std::vector<double> all;
    for (const auto& spins : states_of(space())) all.push_back(std::exp(log_weight(spins)));
    return all;
  }
  // Expectation of s_i s_j.
  double correlation(Index i, Index j) const {
    const auto distribution = infer::finite::distribution_from_weights(weights());
    const auto states = states_of(space());
    double sum = 0.0;
    for (std::size_t s = 0; s < distribution.size(); ++s)
      sum += states[s][i] == states[s][j] ? distribution[s] : -distribution[s];
    return sum;
  }
};

}  // namespace credo::testing
