// The whole analysis on chains of all shapes: sparse, periodic, reducible, degenerate.
#include "infer/finite/analysis.hpp"

#include <gtest/gtest.h>

#include "infer/finite/kernels.hpp"
#include "support/share.hpp"

namespace credo::infer::finite::finite_analysis_test {
namespace {

// From each state to a few others, with probabilities k / m: eigenvalues of many vectors and of too
// few, zeros, periods, classes.
FiniteChain sparse_chain(Index n, Index num_moves, std::uint32_t number) {
  Rng rng({.seed = 77, .purpose = purpose::kTest + 11, .iteration = number});
  RowMatrix matrix(n);
  for (Index x = 0; x < n; ++x) {
    for (Index k = 0; k < num_moves; ++k)
      matrix(x, rng.index_below(n)) += 1.0 / static_cast<double>(num_moves);
  }
  return FiniteChain(std::move(matrix));
}

// Mean of the distributions at t in [start, start + period), from one state.
std::vector<double> average_distribution(const FiniteChain& chain, Index from, Index start,
                                         Index period) {
  std::vector<double> distribution =
      distribution_after(chain, point_distribution(chain.num_states(), from), start);
  std::vector<double> mean(distribution.size());
  for (Index t = 0; t < period; ++t) {
    for (std::size_t y = 0; y < distribution.size(); ++y)
      mean[y] += distribution[y] / static_cast<double>(period);
    distribution = distribution_after(chain, distribution, 1);
  }
  return mean;
}

LONG_TEST(finite_analysis, holds_for_chains_of_all_shapes) {
  Index num_periodic = 0, num_reducible = 0, num_transient = 0;
  for (std::uint32_t number = 0; number < 400; ++number) {
    const Index n = 2 + number % 29;
    const FiniteChain chain = sparse_chain(n, 1 + number % 4, number);
    const Analysis analysis = analyse(chain);
    for (const auto& distribution : analysis.distributions)
      EXPECT_LT(invariance_error(chain, distribution).absolute, 1e-13);
    if (analysis.distributions.size() > 1) {
      ++num_reducible;
      EXPECT_FALSE(analysis.speed);
      continue;
    }
    num_transient += analysis.structure.irreducible() ? 0 : 1;
    num_periodic += analysis.converges ? 0 : 1;
    EXPECT_EQ(analysis.mixing_time.has_value(), analysis.converges) << number;
    EXPECT_EQ(analysis.converges, analysis.speed->spectrum.second_modulus < 1.0) << number;
    // averages over a multiple of all periods up to 12 settle at the stationary distribution
    if (n <= 12 && (number % 5 == 0 || !analysis.converges)) {
      const auto mean = average_distribution(chain, 0, 3000, 27720);
      EXPECT_LT(total_variation(mean, analysis.distributions[0]), 1e-6) << number;
    }
  }
  EXPECT_GT(num_periodic, 5);
  EXPECT_GT(num_reducible, 5);
  EXPECT_GT(num_transient, 5);
}

// Sums of powers of the eigenvalues are traces of powers, whatever the vectors are like: exact
// where single eigenvalues without enough vectors are known to a root of rounding only.
TEST(finite_eigenvalues, of_chains_of_all_shapes_have_the_traces_of_their_powers) {
  for (std::uint32_t number = 0; number < 400; ++number) {
    const Index n = 2 + number % 47;
    const FiniteChain chain = sparse_chain(n, 1 + number % 5, 1000 + number);
    const auto values = eigenvalues_by_modulus(chain);
    ASSERT_EQ(ssize(values), n);
    for (const Index t : {1, 2, 3, 5}) {
      const FiniteChain after = power(chain, t);
      double trace = 0.0;
      std::complex<double> sum = 0.0;
      for (Index x = 0; x < n; ++x) trace += after(x, x), sum += std::pow(values[x], t);
      EXPECT_NEAR(sum.real(), trace, 1e-11 * static_cast<double>(n)) << number;
      EXPECT_NEAR(sum.imag(), 0.0, 1e-11 * static_cast<double>(n)) << number;
    }
    EXPECT_LE(std::abs(values[0]), 1.0 + 1e-6) << number;
  }
}

}  // namespace
}  // namespace credo::infer::finite::finite_analysis_test
