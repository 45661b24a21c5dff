// Eigenvalues and bounds: known spectra, an independent library, the inequalities of the texts.
#include "infer/finite/spectrum.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <numbers>

#include "infer/finite/kernels.hpp"

namespace credo::infer::finite::finite_spectrum_test {
namespace {
using Complex = std::complex<double>;

FiniteChain dense_chain(Index n, std::uint64_t seed) {
  Rng rng({.seed = seed, .purpose = purpose::kTest + 5});
  RowMatrix matrix(n);
  for (double& p : matrix.values) p = rng.exponential();
  return FiniteChain(with_rows_divided_by_sums(std::move(matrix)));
}

// Largest distance from a value of one list to the nearest of the other, both ways.
double distance(std::span<const Complex> a, std::span<const Complex> b) {
  double worst = 0.0;
  for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
    for (const Complex& x : from) {
      double nearest = kInfinity;
      for (const Complex& y : to) nearest = std::min(nearest, std::abs(x - y));
      worst = std::max(worst, nearest);
    }
  }
  return worst;
}

std::vector<Complex> by_eigen(const RowMatrix& a) {
  Eigen::MatrixXd copy(a.rows, a.rows);
  for (Index i = 0; i < a.rows; ++i) {
    for (Index j = 0; j < a.rows; ++j) copy(i, j) = a(i, j);
  }
  const Eigen::VectorXcd values = copy.eigenvalues();
  return {values.begin(), values.end()};
}

TEST(finite_eigenvalues, agree_with_an_independent_library) {
  for (const Index n : {1, 2, 3, 4, 5, 8, 13, 40, 90}) {
    Rng rng({.seed = 3, .purpose = purpose::kTest + 6, .iteration = static_cast<std::uint32_t>(n)});
    RowMatrix matrix(n);
    for (double& x : matrix.values) x = rng.normal();
    // well-conditioned in general: 1e-16 times n times the norm, with room for the condition
    EXPECT_LT(distance(eigenvalues(matrix), by_eigen(matrix)), 1e-11 * static_cast<double>(n)) << n;
    EXPECT_EQ(ssize(eigenvalues(matrix)), n);
  }
}

TEST(finite_eigenvalues, of_a_cycle_are_the_roots_of_unity) {
  for (const Index n : {2, 3, 4, 5, 8, 12, 37, 64}) {
    RowMatrix turn(n);
    for (Index x = 0; x < n; ++x) turn(x, (x + 1) % n) = 1.0;
    std::vector<Complex> roots;
    for (Index k = 0; k < n; ++k)
      roots.push_back(std::polar(
          1.0, 2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n)));
    EXPECT_LT(distance(eigenvalues(turn), roots), 1e-12) << n;
  }
}

TEST(finite_eigenvalues, of_triangles_blocks_and_nothing_are_right) {
  EXPECT_TRUE(eigenvalues(RowMatrix(0)).empty());
  const std::vector<Complex> zeros(5, 0.0);
  EXPECT_EQ(distance(eigenvalues(RowMatrix(5)), zeros), 0.0);
  RowMatrix triangle(4);
  for (Index i = 0; i < 4; ++i) {
    for (Index j = i; j < 4; ++j) triangle(i, j) = 1.0 + static_cast<double>(i);
  }
  EXPECT_LT(distance(eigenvalues(triangle), std::vector<Complex>{1.0, 2.0, 3.0, 4.0}), 1e-13);
}

// Many vectors to few eigenvalues, hidden by a similarity: the reduced matrix is rounding there.
TEST(finite_eigenvalues, with_many_vectors_each_are_found) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Index n = 60;
    Rng rng({.seed = seed, .purpose = purpose::kTest + 10});
    Eigen::MatrixXd basis(n, n), diagonal = Eigen::MatrixXd::Zero(n, n);
    for (Index i = 0; i < n; ++i) {
      diagonal(i, i) = std::exp2(-static_cast<double>(i % 4));
      for (Index j = 0; j < n; ++j) basis(i, j) = rng.normal() + (i == j ? 20.0 : 0.0);
    }
    const Eigen::MatrixXd product = basis * diagonal * basis.inverse();
    RowMatrix matrix(n);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) matrix(i, j) = product(i, j);
    }
    const std::vector<Complex> known{1.0, 0.5, 0.25, 0.125};
    EXPECT_LT(distance(eigenvalues(matrix), known), 1e-12) << seed;
  }
}

// A biased walk on a cycle isn't reversible: eigenvalues p w + q / w for the roots w of unity.
TEST(finite_spectrum, of_a_biased_walk_on_a_cycle_is_complex) {
  const Index n = 11;
  const double p = 0.7, q = 0.3;
  RowMatrix walk(n);
  std::vector<Complex> known;
  for (Index x = 0; x < n; ++x) {
    walk(x, (x + 1) % n) = p, walk(x, (x + n - 1) % n) = q;
    const Complex w =
        std::polar(1.0, 2.0 * std::numbers::pi * static_cast<double>(x) / static_cast<double>(n));
    known.push_back(p * w + q / w);
  }
  const FiniteChain chain(std::move(walk));
  const Spectrum spectrum = spectrum_of(chain, stationary_distribution(chain));
  EXPECT_FALSE(spectrum.reversible);
  EXPECT_LT(distance(spectrum.values, known), 1e-13);
  // the singular values of this normal matrix are the moduli
  EXPECT_NEAR(spectrum.second_singular, spectrum.second_modulus, 1e-13);
}

// Lazy walk on the hypercube of dimension d: 1 - k / d, C(d, k) times.
TEST(finite_spectrum, of_the_hypercube_has_binomial_multiplicities) {
  const Index d = 6, n = 64;
  RowMatrix walk(n);
  for (Index x = 0; x < n; ++x) {
    walk(x, x) = 0.5;
    for (Index k = 0; k < d; ++k) walk(x, x ^ (Index{1} << k)) = 0.5 / static_cast<double>(d);
  }
  const FiniteChain chain(std::move(walk));
  const Spectrum spectrum = spectrum_of(chain, stationary_distribution(chain));
  EXPECT_TRUE(spectrum.reversible);
  std::map<Index, Index> counts;
  for (const Complex& value : spectrum.values) {
    const double k = (1.0 - value.real()) * static_cast<double>(d);
    EXPECT_NEAR(k, std::round(k), 1e-12);
    ++counts[static_cast<Index>(std::lround(k))];
  }
  EXPECT_EQ(counts,
            (std::map<Index, Index>{{0, 1}, {1, 6}, {2, 15}, {3, 20}, {4, 15}, {5, 6}, {6, 1}}));
  EXPECT_NEAR(spectrum.relaxation_time(), 6.0, 1e-11);
}

TEST(finite_spectrum, of_two_states_is_one_minus_both_rates) {
  const FiniteChain chain({2, 2, {0.7, 0.3, 0.9, 0.1}});
  const Spectrum spectrum = spectrum_of(chain, stationary_distribution(chain));
  EXPECT_NEAR(spectrum.second_real, -0.2, 1e-15);
  EXPECT_NEAR(spectrum.gap(), 1.2, 1e-15);           // autocorrelation: antithetic
  EXPECT_NEAR(spectrum.absolute_gap(), 0.8, 1e-15);  // convergence
}

// The second eigenvalue by power iteration on what is orthogonal to the first.
TEST(finite_spectrum, agrees_with_power_iteration) {
  const std::vector<double> target{0.5, 1.0, 4.0, 2.0, 8.0, 1.0, 3.0, 0.25};
  const FiniteChain chain = lazy(metropolis_hastings(target, dense_chain(8, 4)));
  const auto distribution = stationary_distribution(chain);
  std::vector<double> f{1.0, -1.0, 2.0, 0.5, -0.25, 1.5, -2.0, 0.75};
  double modulus = 0.0;
  for (int t = 0; t < 3000; ++t) {
    const double mean =
        std::inner_product(distribution.begin(), distribution.end(), f.begin(), 0.0);
    for (double& x : f) x -= mean;
    const double size = std::sqrt(std::inner_product(f.begin(), f.end(), f.begin(), 0.0));
    for (double& x : f) x /= size;
    const auto next = multiply(chain.matrix(), f);
    modulus = std::sqrt(std::inner_product(next.begin(), next.end(), next.begin(), 0.0));
    f = next;
  }
  EXPECT_NEAR(spectrum_of(chain, distribution).second_modulus, modulus, 1e-9);
}

TEST(finite_spectrum, of_a_stochastic_matrix_lies_in_the_unit_disc_with_one_on_it) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const FiniteChain chain = dense_chain(30, seed);
    const Spectrum spectrum = spectrum_of(chain, stationary_distribution(chain));
    EXPECT_EQ(spectrum.values[0], 1.0);
    EXPECT_LT(spectrum.second_modulus, 1.0);
    EXPECT_LE(spectrum.second_modulus, spectrum.second_singular + 1e-13);
    EXPECT_LT(distance(spectrum.values, by_eigen(chain.matrix())), 1e-12);
  }
}

TEST(finite_spectrum, is_refused_for_a_chain_with_transient_states) {
  const FiniteChain chain({2, 2, {1.0, 0.0, 0.5, 0.5}});
  EXPECT_THROW(spectrum_of(chain, stationary_distribution(chain)), Error);
}

// E62: the inequality of the notes, for reversible chains, and the singular bound for any.
TEST(finite_mixing_bounds, enclose_the_exact_mixing_time) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::vector<double> target{0.1, 1.0, 4.0, 2.0, 8.0, 1.0};
    for (const bool reversible : {true, false}) {
      const FiniteChain base =
          reversible ? metropolis_hastings(target, dense_chain(6, seed)) : dense_chain(6, seed);
      const FiniteChain chain = lazy(base, 0.9);
      const auto distribution = stationary_distribution(chain);
      const Spectrum spectrum = spectrum_of(chain, distribution);
      EXPECT_EQ(spectrum.reversible, reversible);
      Squarings powers(chain);
      for (const double epsilon : {0.25, 0.01}) {
        const auto t =
            static_cast<double>(*mixing_time(powers, distribution, {.epsilon = epsilon}));
        const MixingBounds bounds = mixing_bounds(spectrum, distribution, epsilon);
        EXPECT_LE(bounds.lower, t) << seed;
        EXPECT_GE(bounds.upper, t) << seed;
      }
    }
  }
}

// Power: with the distance of the seed text, twice the total variation, the lower bound breaks.
TEST(finite_mixing_bounds, do_not_hold_for_a_distance_of_half_the_size) {
  const FiniteChain walk = reflected_walk(21);
  const auto distribution = stationary_distribution(walk);
  Squarings powers(walk);
  const MixingBounds bounds = mixing_bounds(spectrum_of(walk, distribution), distribution, 0.01);
  EXPECT_LE(bounds.lower,
            static_cast<double>(*mixing_time(powers, distribution, {.epsilon = 0.01})));
  EXPECT_GT(bounds.lower,
            static_cast<double>(*mixing_time(powers, distribution, {.epsilon = 0.04})));
}

}  // namespace
}  // namespace credo::infer::finite::finite_spectrum_test
