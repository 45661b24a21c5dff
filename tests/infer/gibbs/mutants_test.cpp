// Planted faults of Gibbs kernels. Discrete ones are rejected by their exact matrices.
#include <gtest/gtest.h>

#include "infer/gibbs/collapsed_mixture.hpp"
#include "infer/gibbs/discrete_gibbs.hpp"
#include "infer/gibbs/gaussian_mixture.hpp"
#include "infer/gibbs/hidden_path.hpp"
#include "infer/gibbs/lattice_gibbs.hpp"
#include "infer/gibbs/lattice_support.hpp"
#include "infer/gibbs/topics.hpp"

namespace credo::infer::gibbs {
namespace {
using namespace credo::testing;
using State = std::vector<Index>;

double uneven(std::span<const Index> state) {
  return 0.9 * double(state[0] == state[1]) - 0.7 * double(state[1] * state[2]) +
         0.4 * double(state[0]) + 0.5 * double(state[2]);
}
const DiscreteTarget kTarget{.sizes = {2, 3, 2}, .log_weight = uneven};

std::vector<double> weights_of_target() {
  std::vector<double> weights;
  for (const State& state : states_of(kTarget.sizes)) weights.push_back(std::exp(uneven(state)));
  return weights;
}
template <class Kernel>
bool is_rejected(Kernel&& kernel) {
  return !leaves_invariant(
      finite::transition_matrix(std::forward<Kernel>(kernel), states_of(kTarget.sizes)),
      weights_of_target());
}

// ---- scans of single variables ----

TEST(gibbs_mutants, a_conditional_of_another_law_is_rejected) {
  const DiscreteTarget other{.sizes = kTarget.sizes, .log_weight = [](std::span<const Index> s) {
                               return uneven(s) + 1e-9 * double(s[1]);
                             }};
  EXPECT_FALSE(is_rejected([](State& s, Chooser& c) { update_variable(kTarget, s, 1, c); }));
  EXPECT_TRUE(is_rejected([&](State& s, Chooser& c) { update_variable(other, s, 1, c); }));
}

// Each full conditional is right, but which one is taken depends on the state.
TEST(gibbs_mutants, a_scan_that_chooses_by_the_state_is_rejected) {
  EXPECT_TRUE(is_rejected([](State& s, Chooser& c) { update_variable(kTarget, s, s[0], c); }));
}

TEST(gibbs_mutants, a_sweep_of_all_variables_at_once_is_rejected) {
  EXPECT_FALSE(is_rejected([](State& s, Chooser& c) { sweep_variables(kTarget, s, {}, c); }));
  EXPECT_TRUE(is_rejected([](State& s, Chooser& c) {
    const State old = s;
    for (Index v = 0; v < 3; ++v) {
      State given = old;
      update_variable(kTarget, given, v, c);
      s[std::size_t(v)] = given[std::size_t(v)];
    }
  }));
}

TEST(gibbs_mutants, a_block_of_independent_conditionals_is_rejected) {
  const State block{0, 1};
  EXPECT_FALSE(is_rejected([&](State& s, Chooser& c) { update_block(kTarget, s, block, c); }));
  EXPECT_TRUE(is_rejected([](State& s, Chooser& c) {
    State first = s, second = s;
    update_variable(kTarget, first, 0, c);
    update_variable(kTarget, second, 1, c);
    s[0] = first[0], s[1] = second[1];
  }));
}

// ---- lattices ----

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

// The evidence with the sign that one source prints: minus.
TEST(gibbs_mutants, evidence_of_the_wrong_sign_is_rejected) {
  const std::vector<double> image{0.7, -1.2, 0.4, 2.0};
  std::vector<double> mirrored = image;
  for (double& y : mirrored) y = -y;
  const Lattice prior = Lattice::ising({.rows = 2, .cols = 2, .coupling = 0.3});
  const Lattice right = prior.with_evidence(gaussian_evidence(image, 2.0)),
                wrong = prior.with_evidence(gaussian_evidence(mirrored, 2.0));
  const auto chain = [&](const Lattice& by) {
    return matrix_on(right, [&](Spins& s, Chooser& c) { sweep_sites(by, s, c); });
  };
  EXPECT_TRUE(leaves_invariant(chain(right), weights_of(right)));
  EXPECT_FALSE(leaves_invariant(chain(wrong), weights_of(right)));
}

// ---- paths ----

// States drawn one by one from their filtered laws: the future isn't looked at.
TEST(gibbs_mutants, a_path_of_filtered_states_is_rejected) {
  const HiddenChain chain{.initial = {0.6, 0.4}, .transition = {0.8, 0.2, 0.3, 0.7}};
  const std::vector<double> log_likelihood{-1.0, -2.0, -0.5, -0.2, -3.0, -1.0};
  const auto states = states_of({{2, 2, 2}});
  std::vector<double> weights;
  for (const State& path : states) {
    double weight = chain.initial[std::size_t(path[0])];
    for (std::size_t t = 0; t < 3; ++t) {
      if (t > 0) weight *= chain.transition[std::size_t(path[t - 1] * 2 + path[t])];
      weight *= std::exp(log_likelihood[2 * t + std::size_t(path[t])]);
    }
    weights.push_back(weight);
  }
  const auto right = finite::transition_matrix(
      [&](State& path, Chooser& c) { draw_hidden_path(chain, log_likelihood, path, c); }, states);
  EXPECT_TRUE(leaves_invariant(right, weights));
  const auto wrong = finite::transition_matrix(
      [&](State& path, Chooser& c) {
        for (std::size_t end = 1; end <= 3; ++end) {
          State start(end);
          draw_hidden_path(chain, std::span(log_likelihood).first(2 * end), start, c);
          path[end - 1] = start[end - 1];
        }
      },
      states);
  EXPECT_FALSE(leaves_invariant(wrong, weights));
}

// ---- partitions ----

// The proportions' prior as one source prints it: a for each component instead of a / K.
TEST(gibbs_mutants, a_dirichlet_multinomial_with_a_in_every_component_is_rejected) {
  const auto prior = PartitionPrior::dirichlet_multinomial(1.5, 2),
             misprint = PartitionPrior::dirichlet_multinomial(3.0, 2);
  const auto states = states_of({{2, 2, 2}});
  std::vector<double> weights;
  for (const State& labels : states) weights.push_back(std::exp(prior.log_prob(labels)));
  const auto chain = [&](const PartitionPrior& by) {
    return finite::transition_matrix(
        [&](State& labels, Chooser& c) {
          const Index i = c.uniform_index(3);
          std::array<double, 2> of{};
          for (std::size_t k = 0; k < 2; ++k) {
            Index others = 0;
            for (Index j = 0; j < 3; ++j)
              others += j != i && labels[std::size_t(j)] == Index(k) ? 1 : 0;
            of[k] = by.weight(others);
          }
          labels[std::size_t(i)] = c.choose(of);
        },
        states);
  };
  EXPECT_TRUE(leaves_invariant(chain(prior), weights));
  EXPECT_FALSE(leaves_invariant(chain(misprint), weights));
}

// ---- a known mixture ----

// x from N(μ_k, 1), then k given x; the mutant takes the component without its weight.
double known_mixture_z(bool with_weights) {
  const GaussianMixture mixture{.weights = {0.3, 0.7},
                                .means = {{-1.0}, {1.0}},
                                .covariances = {diagonal_matrix(1, 1.0), diagonal_matrix(1, 1.0)}};
  GaussianMixture used = mixture;
  if (!with_weights) used.weights = {0.5, 0.5};
  double sum = 0.0, squares = 0.0;
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    Rng rng({.seed = test_seed(3), .purpose = purpose::kTest + 50, .iteration = i});
    LabelledPoint at{.x = {0.0}, .label = rng.uniform() < 0.3 ? 0 : 1};
    for (int s = 0; s < 3; ++s) step_known(used, at, rng);
    const double off = at.x[0] - 0.4;
    sum += off, squares += off * off;
  }
  return std::fabs(sum) / std::sqrt(squares);
}
TEST(gibbs_mutants, a_known_mixture_without_its_weights_is_rejected) {
  EXPECT_LT(known_mixture_z(true), 4.0);
  EXPECT_GT(known_mixture_z(false), 6.0);
}

// ---- rotation ----

// A shear is no rotation: the independent laws of the rotated coordinates aren't those of the
// shear.
double rotated_z(bool turns) {
  const double r = 0.6;
  double sum = 0.0, squares = 0.0;
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    Rng rng({.seed = test_seed(4), .purpose = purpose::kTest + 51, .iteration = i});
    Pair at{rng.normal(), 0.0};
    at.second = r * at.first + std::sqrt(1.0 - r * r) * rng.normal();
    const auto redraw = [&](Pair& of) { of.second = std::sqrt(1.0 - r) * rng.normal(); };
    if (turns) {
      step_rotated(at, redraw);
    } else {
      Pair sheared{at.first, at.second - at.first};
      redraw(sheared);
      at.second = sheared.first + sheared.second;
    }
    const double off = at.first * at.second - r;
    sum += off, squares += off * off;
  }
  return std::fabs(sum) / std::sqrt(squares);
}
TEST(gibbs_mutants, a_shear_in_the_place_of_a_rotation_is_rejected) {
  EXPECT_LT(rotated_z(true), 4.0);
  EXPECT_GT(rotated_z(false), 6.0);
}

}  // namespace
}  // namespace credo::infer::gibbs
