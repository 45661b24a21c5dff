// Planted faults of Gibbs kernels. Discrete ones are rejected by their exact matrices.
#include <gtest/gtest.h>

#include "infer/gibbs/discrete_gibbs.hpp"
#include "support/finite_checks.hpp"

namespace credo::infer::gibbs::gibbs_mutants_test {
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

TEST(gibbs_mutants, a_conditional_of_another_distribution_is_rejected) {
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

// ---- rotation ----

// A shear is no rotation: the independent distributions of the rotated coordinates aren't those of the
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
}  // namespace credo::infer::gibbs::gibbs_mutants_test
