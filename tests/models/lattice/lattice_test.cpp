// Lattice kernels: their exact matrices on small grids, mutants, and the fast paths on large ones.
#include <gtest/gtest.h>

#include <set>

#include "infer/finite/spectrum.hpp"
#include "models/lattice/clusters.hpp"
#include "models/lattice/lattice_gibbs.hpp"
#include "models/lattice/lattice_support.hpp"
#include "support/alloc_count.hpp"
#include "support/share.hpp"

CREDO_COUNT_ALLOCATIONS

namespace credo::models::lattice_lattice_test {
namespace {
using namespace credo::infer;
using namespace credo::testing;
using finite::distribution_from_weights;
using finite::spectrum_of;

// Evidence without any symmetry.
std::vector<double> uneven_evidence(const Lattice& lattice) {
  std::vector<double> log_evidence;
  for (Index e = 0; e < lattice.num_sites() * lattice.num_values(); ++e)
    log_evidence.push_back(0.7 * std::sin(3.0 * static_cast<double>(e) + 1.0));
  return log_evidence;
}

std::vector<Lattice> small_lattices(double coupling) {
  const Lattice ising = Lattice::ising({.rows = 2, .cols = 3, .coupling = coupling});
  const Lattice potts =
      Lattice::potts({.rows = 2, .cols = 2, .num_values = 3, .coupling = coupling});
  return {ising,
          Lattice::ising({.rows = 2, .cols = 2, .coupling = coupling, .field = 0.3}),
          Lattice::ising({.rows = 3, .cols = 2, .coupling = coupling, .periodic = true}),
          ising.with_evidence(uneven_evidence(ising)),
          potts,
          potts.with_evidence(uneven_evidence(potts))};
}

TEST(lattice, has_the_stated_sum_and_correlation_of_two_by_two) {
  const double j = 0.6, t = std::tanh(j);
  const Lattice ising = Lattice::ising({.coupling = j});
  const auto weights = weights_of(ising);
  const double z = std::accumulate(weights.begin(), weights.end(), 0.0);
  EXPECT_NEAR(z, 2.0 * std::exp(4.0 * j) + 2.0 * std::exp(-4.0 * j) + 12.0, 1e-13 * z);
  double correlation = 0.0;
  const auto states = all_spins(ising);
  for (std::size_t s = 0; s < states.size(); ++s)
    correlation += (states[s][0] == states[s][1] ? weights[s] : -weights[s]) / z;
  EXPECT_NEAR(correlation, (t + t * t * t) / (1.0 + t * t * t * t), 1e-14);
  EXPECT_NEAR(correlation, 0.63881, 5.1e-6);  // as stated, five decimals
}

TEST(lattice, of_potts_with_two_values_is_ising_with_half_the_coupling) {
  const auto potts = distribution_from_weights(
      weights_of(Lattice::potts({.rows = 2, .cols = 3, .num_values = 2, .coupling = 0.8})));
  const auto ising = distribution_from_weights(
      weights_of(Lattice::ising({.rows = 2, .cols = 3, .coupling = 0.4})));
  for (std::size_t s = 0; s < potts.size(); ++s) EXPECT_NEAR(potts[s], ising[s], 1e-16);
}

TEST(lattice, edges_are_each_neighbour_pair_once) {
  for (const bool periodic : {false, true}) {
    for (const auto& [rows, cols] :
         {std::pair<Index, Index>{3, 4}, {1, 5}, {2, 2}, {1, 1}, {4, 3}}) {
      const Lattice grid = Lattice::ising({.rows = rows, .cols = cols, .periodic = periodic});
      std::multiset<std::pair<Index, Index>> from_edges, from_neighbours;
      for (Index i = 0; i < grid.num_sites(); ++i) {
        for (const Index j : {grid.right(i), grid.down(i)})
          if (j >= 0) from_edges.insert({std::min(i, j), std::max(i, j)});
        for (const Index j : grid.neighbours(i))
          if (i < j) from_neighbours.insert({i, j});
      }
      EXPECT_EQ(from_edges, from_neighbours);
      if (periodic && rows > 2 && cols > 2) {
        EXPECT_EQ(ssize(from_edges), 2 * rows * cols);
      }
    }
  }
}

TEST(lattice, conditional_is_the_stated_sigmoid) {
  const Lattice ising = Lattice::ising({.rows = 3, .cols = 3, .coupling = 0.7});
  Spins spins{0, 1, 0, 1, 0, 1, 0, 0, 1};  // the centre has three neighbours up, one down
  std::array<double, 2> log_weights{};
  ising.conditional(spins, 4, log_weights);
  EXPECT_NEAR(log_weights[1] - log_weights[0], 2.0 * 0.7 * 2.0, 1e-15);
}

TEST(lattice, refuses_what_is_no_lattice) {
  EXPECT_THROW(Lattice::ising({.rows = 0}), Error);
  EXPECT_THROW(Lattice::ising({.coupling = kNaN}), Error);
  EXPECT_THROW(Lattice::potts({.num_values = 257}), Error);
  EXPECT_THROW(Lattice::ising({}).with_evidence({1.0}), Error);
  EXPECT_THROW(Lattice::ising({}).check(Spins{0, 1, 2, 0}), Error);
  EXPECT_THROW(SwendsenWang(Lattice::ising({.coupling = -0.1})), Error);
  EXPECT_THROW(Wolff(Lattice::ising({.coupling = -0.1})), Error);
  EXPECT_THROW(ColouredGibbs(Lattice::ising({}), {{0, 1, 2, 3}}), Error);
  EXPECT_THROW(gaussian_evidence(std::array{1.0}, 0.0), Error);
}

// ---- exact matrices ----

TEST(lattice_gibbs, random_scan_is_in_detailed_balance_and_a_sweep_only_leaves_its_distribution) {
  for (const double coupling : {0.6, -0.4}) {
    for (const Lattice& lattice : small_lattices(coupling)) {
      const auto target = weights_of(lattice);
      const auto random = matrix_on(lattice, [&](Spins& spins, Chooser& chooser) {
        update_random_site(lattice, spins, chooser);
      });
      EXPECT_TRUE(converges(random, target));
      EXPECT_TRUE(in_detailed_balance(random, target));
      const auto sweep = matrix_on(
          lattice, [&](Spins& spins, Chooser& chooser) { sweep_sites(lattice, spins, chooser); });
      EXPECT_TRUE(converges(sweep, target));
      EXPECT_FALSE(in_detailed_balance(sweep, target));
    }
  }
}

TEST(lattice_gibbs, rejects_a_coupling_of_the_wrong_sign) {
  const Lattice right = Lattice::ising({.rows = 2, .cols = 3, .coupling = 0.4});
  const Lattice wrong = Lattice::ising({.rows = 2, .cols = 3, .coupling = -0.4});
  const auto chain = matrix_on(
      right, [&](Spins& spins, Chooser& chooser) { update_random_site(wrong, spins, chooser); });
  EXPECT_FALSE(leaves_invariant(chain, weights_of(right)));
  EXPECT_TRUE(leaves_invariant(chain, weights_of(wrong)));
}

TEST(lattice_metropolis, is_in_detailed_balance) {
  for (const Lattice& lattice : small_lattices(0.5)) {
    const auto chain = matrix_on(
        lattice, [&](Spins& spins, Chooser& chooser) { metropolis_flip(lattice, spins, chooser); });
    EXPECT_TRUE(converges(chain, weights_of(lattice)));
    EXPECT_TRUE(in_detailed_balance(chain, weights_of(lattice)));
  }
}

// Offered values are the next one up, which can't come back from three values on.
TEST(gibbs_mutants, a_potts_flip_that_only_goes_up_is_rejected) {
  const Lattice lattice = Lattice::potts({.rows = 2, .cols = 2, .num_values = 3, .coupling = 0.5});
  const auto chain = [&](bool only_up) {
    return matrix_on(lattice, [&](Spins& spins, Chooser& chooser) {
      if (!only_up) return metropolis_flip(lattice, spins, chooser);
      const Index site = chooser.uniform_index(4);
      Spins offered = spins;
      offered[std::size_t(site)] = static_cast<Spin>((spins[std::size_t(site)] + 1) % 3);
      if (chooser.accept_log(lattice.log_weight(offered) - lattice.log_weight(spins)))
        spins = offered;
    });
  };
  EXPECT_TRUE(leaves_invariant(chain(false), weights_of(lattice)));
  EXPECT_FALSE(leaves_invariant(chain(true), weights_of(lattice)));
}

TEST(lattice_gibbs, has_the_stated_eigenvalues_on_three_by_three) {
  const Lattice ising = Lattice::ising({.rows = 3, .cols = 3, .coupling = 0.3});
  const auto distribution = distribution_from_weights(weights_of(ising));
  const auto random = matrix_on(
      ising, [&](Spins& spins, Chooser& chooser) { update_random_site(ising, spins, chooser); });
  EXPECT_NEAR(spectrum_of(random, distribution).second_modulus, 0.96693, 5.1e-6);
}

TEST(checkerboard, leaves_the_distribution_and_both_colours_at_once_do_not) {
  for (const Lattice& lattice : small_lattices(0.6)) {
    const ColouredGibbs gibbs(lattice);
    const auto chain =
        matrix_on(lattice, [&](Spins& spins, Chooser& chooser) { gibbs.step(spins, chooser); });
    EXPECT_TRUE(converges(chain, weights_of(lattice)));
    const auto mutant = matrix_on(lattice, [&](Spins& spins, Chooser& chooser) {
      const Spins old = spins;  // all sites see their neighbours as they were
      for (Index i = 0; i < lattice.num_sites(); ++i) {
        Spins seen = old;
        update_site(lattice, seen, i, chooser);
        spins[i] = seen[i];
      }
    });
    EXPECT_FALSE(leaves_invariant(mutant, weights_of(lattice)));
  }
}

TEST(checkerboard, has_two_colours_where_the_grid_allows_them) {
  EXPECT_EQ(ColouredGibbs(Lattice::ising({.rows = 5, .cols = 7})).num_colours(), 2);
  EXPECT_EQ(ColouredGibbs(Lattice::ising({.rows = 4, .cols = 6, .periodic = true})).num_colours(),
            2);
  EXPECT_GT(ColouredGibbs(Lattice::ising({.rows = 5, .cols = 6, .periodic = true})).num_colours(),
            2);
}

TEST(swendsen_wang, is_in_detailed_balance_and_converges) {
  for (const Lattice& lattice : small_lattices(0.6)) {
    SwendsenWang clusters(lattice);
    const auto chain =
        matrix_on(lattice, [&](Spins& spins, Chooser& chooser) { clusters.step(spins, chooser); });
    EXPECT_TRUE(converges(chain, weights_of(lattice)));
    EXPECT_TRUE(in_detailed_balance(chain, weights_of(lattice)));
  }
}

// The bonds of half the coupling, as if 1 - exp(-J): a wrong kernel for J, a right one for J / 2.
TEST(swendsen_wang, rejects_a_wrong_bond_probability) {
  const Lattice right = Lattice::ising({.rows = 2, .cols = 3, .coupling = 0.6});
  const Lattice wrong = Lattice::ising({.rows = 2, .cols = 3, .coupling = 0.3});
  SwendsenWang clusters(wrong);
  const auto chain =
      matrix_on(right, [&](Spins& spins, Chooser& chooser) { clusters.step(spins, chooser); });
  EXPECT_FALSE(leaves_invariant(chain, weights_of(right)));
  EXPECT_TRUE(leaves_invariant(chain, weights_of(wrong)));
}

TEST(wolff, is_in_detailed_balance_and_converges) {
  for (const Lattice& lattice : small_lattices(0.5)) {
    Wolff cluster(lattice);
    const auto chain =
        matrix_on(lattice, [&](Spins& spins, Chooser& chooser) { cluster.step(spins, chooser); });
    EXPECT_TRUE(converges(chain, weights_of(lattice)));
    EXPECT_TRUE(in_detailed_balance(chain, weights_of(lattice)));
  }
}

TEST(wolff, rejects_a_wrong_bond_probability) {
  const Lattice right = Lattice::potts({.num_values = 3, .coupling = 0.8});
  Wolff cluster(Lattice::potts({.num_values = 3, .coupling = 0.9}));
  const auto chain =
      matrix_on(right, [&](Spins& spins, Chooser& chooser) { cluster.step(spins, chooser); });
  EXPECT_FALSE(leaves_invariant(chain, weights_of(right)));
}

// p(x, v) with bonds v: its sum over v is the distribution of x, and what clusters draw from.
TEST(auxiliary_variables, of_bonds_sum_out_to_the_distribution_of_the_lattice) {
  const Lattice ising = Lattice::ising({.rows = 1, .cols = 3, .coupling = 0.7});
  const double j = 0.7;
  for (const Spins& spins : all_spins(ising)) {
    double sum = 0.0;
    for (int bonds = 0; bonds < 4; ++bonds) {
      double product = 1.0;
      for (int e = 0; e < 2; ++e) {
        const bool agree = spins[e] == spins[e + 1], on = (bonds >> e) % 2 == 1;
        product *= on ? (agree ? std::exp(j) - std::exp(-j) : 0.0) : std::exp(-j);
      }
      sum += product;
    }
    EXPECT_NEAR(sum, std::exp(ising.log_weight(spins)), 1e-14 * sum);
  }
  EXPECT_NEAR(bond_probability(ising), (std::exp(j) - std::exp(-j)) / std::exp(j), 1e-16);
}

// ---- the fast paths ----

StreamKey key_of(std::uint32_t iteration, std::uint64_t seed = 5) {
  return {.seed = seed, .purpose = purpose::kTest + 21, .iteration = iteration};
}

template <class Kernel>
Spins run_for(Kernel& kernel, std::uint32_t num_steps) {
  Spins spins(kernel.lattice().num_sites(), 0);
  for (std::uint32_t i = 0; i < num_steps; ++i) kernel.step(spins, key_of(i));
  return spins;
}

TEST(swendsen_wang, gives_the_same_states_with_any_number_of_threads) {
  for (const bool with_evidence : {false, true}) {
    Lattice lattice = Lattice::ising({.rows = 150, .cols = 70, .coupling = 0.44, .periodic = true});
    if (with_evidence) lattice = lattice.with_evidence(uneven_evidence(lattice));
    SwendsenWang one(lattice, 1);
    const Spins expected = run_for(one, 20);
    for (const Index threads : {2, 3, 4}) {
      SwendsenWang many(lattice, threads);
      EXPECT_EQ(run_for(many, 20), expected) << threads;
    }
  }
}

TEST(checkerboard, gives_the_same_states_with_any_number_of_threads) {
  const Lattice lattice =
      Lattice::potts({.rows = 160, .cols = 171, .num_values = 5, .coupling = 0.9});
  ColouredGibbs one(lattice, 1);
  const Spins expected = run_for(one, 5);
  for (const Index threads : {2, 4}) {
    ColouredGibbs many(lattice, threads);
    EXPECT_EQ(run_for(many, 5), expected) << threads;
  }
}

// Counts of the 64 states against their distribution, by Pearson's statistic: its mean is 63 and its
// standard deviation sqrt(126) for independent draws; a few steps apart they nearly are, and 63 + 6
// sqrt(126) = 130 is beyond any chance worth a thought. A wrong coupling gives thousands.
template <class Kernel>
double pearson(Kernel& kernel, const Lattice& target, std::uint32_t apart) {
  const auto states = all_spins(target);
  const auto distribution = distribution_from_weights(weights_of(target));
  std::map<Spins, double> counts;
  Spins spins = states[0];
  constexpr std::uint32_t kDraws = 40000;
  for (std::uint32_t i = 0; i < kDraws * apart; ++i) {
    kernel.step(spins, key_of(i));
    if (i % apart == 0) counts[spins] += 1.0;
  }
  double sum = 0.0;
  for (std::size_t s = 0; s < states.size(); ++s) {
    const double expected = distribution[s] * kDraws, off = counts[states[s]] - expected;
    sum += off * off / expected;
  }
  return sum;
}

LONG_TEST(lattice_streams, visit_states_as_often_as_their_distribution_says) {
  Lattice lattice = Lattice::ising({.rows = 2, .cols = 3, .coupling = 0.3});
  lattice = lattice.with_evidence(uneven_evidence(lattice));
  const Lattice other = Lattice::ising({.rows = 2, .cols = 3, .coupling = 0.35});
  SwendsenWang clusters(lattice);
  ColouredGibbs gibbs(lattice);
  EXPECT_LT(pearson(clusters, lattice, 8), 130.0);
  EXPECT_LT(pearson(gibbs, lattice, 8), 130.0);
  SwendsenWang plain(Lattice::ising({.rows = 2, .cols = 3, .coupling = 0.3}));
  EXPECT_LT(pearson(plain, plain.lattice(), 8), 130.0);
  EXPECT_GT(pearson(plain, other, 8), 300.0);  // a coupling that is wrong by 0.05 is seen
}

TEST(swendsen_wang, does_not_allocate) {
  SwendsenWang clusters(Lattice::ising({.rows = 64, .cols = 64, .coupling = 0.44}));
  Spins spins(64 * 64, 0);
  clusters.step(spins, key_of(0));
  const AllocationCount count;
  clusters.step(spins, key_of(1));
  EXPECT_EQ(count.value(), 0);
}

// Energy at the critical coupling of a large torus: -sqrt(2) J per edge pair in the limit
// (Onsager), that is a mean of s_i s_j over edges of sqrt(2) / 2. On a side of 64 finite size adds
// less than 0.01; 400 steps of clusters, a few of which are independent, leave a standard error
// near 0.003.
TEST(swendsen_wang, has_the_critical_energy_from_either_start) {
  for (const Spin start : {Spin{0}, Spin{1}}) {
    const Lattice lattice = Lattice::ising(
        {.rows = 64, .cols = 64, .coupling = kCriticalIsingCoupling, .periodic = true});
    SwendsenWang clusters(lattice);
    Spins spins(lattice.num_sites(), 0);
    for (Index i = 0; i < lattice.num_sites(); i += 2) spins[i] = start;
    double sum = 0.0;
    for (std::uint32_t i = 0; i < 500; ++i) {
      clusters.step(spins, key_of(i, 9 + start));
      if (i >= 100) sum += lattice.log_weight(spins) / (2.0 * 64 * 64 * kCriticalIsingCoupling);
    }
    EXPECT_NEAR(sum / 400.0, std::sqrt(0.5), 0.02);
  }
}

}  // namespace
}  // namespace credo::models::lattice_lattice_test
