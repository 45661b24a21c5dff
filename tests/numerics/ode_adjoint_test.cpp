// Derivatives of solutions by a pass backwards: through the steps of Runge-Kutta pairs, by the
// adjoint equation of multistep methods.
#include <gtest/gtest.h>

#include "numerics/ode/multistep_adjoint.hpp"
#include "numerics/ode/runge_kutta_adjoint.hpp"

namespace credo::numerics::ode_adjoint_test {
namespace {

// y' = q y in each lane, so that y(t) = y0 exp(q t), dy/dy0 = exp(q t) and dy/dq = t y.
class Growth final : public AdjointSystem {
 public:
  explicit Growth(std::vector<double> q) : q_(std::move(q)) {}
  void derivative(const double*, const double* y, double* dy) override {
    for (std::size_t l = 0; l < q_.size(); ++l) dy[l] = q_[l] * y[l];
  }
  void states(const double* t, const double* y, double* dy) override { derivative(t, y, dy); }
  void jacobian(const double*, const double*, double* df) override {
    for (std::size_t l = 0; l < q_.size(); ++l) df[l] = q_[l];
  }
  void pull_back(const double*, const double* y, const double* w, double* out) override {
    for (std::size_t l = 0; l < q_.size(); ++l) {
      out[l] = q_[l] * w[l];
      out[q_.size() + l] = parameters * y[l] * w[l];
    }
  }
  bool failed(Index) const override { return false; }
  double parameters = 1.0;  // 0: a mutant that forgets them

 private:
  std::vector<double> q_;
};

struct Pulled {
  std::vector<double> values, adjoints;  // at both times; by y0 and q
};

constexpr double kTolerance = 1e-9;

// The adjoints of y(1) + y(2) / 2 from y0 = 1.
template <class Solver>
Pulled pull_with(Solver& solver, Growth& system, Index lanes) {
  const auto count = static_cast<std::size_t>(lanes);
  std::vector<double> start(count, 0.0), initial(count, 1.0), times(count, 1.0),
      weights(count, 1.0);
  times.resize(2 * count, 2.0), weights.resize(2 * count, 0.5);
  Pulled p{std::vector<double>(2 * count), {}};
  std::vector<OdeEnd> ends(count);
  const LaneProblem problem{.lanes = lanes,
                            .start = start.data(),
                            .initial = initial.data(),
                            .times = times.data(),
                            .num_times = 2,
                            .out = p.values.data(),
                            .tolerance = {kTolerance, kTolerance, 100'000}};
  solver.solve(system, problem, true, ends.data());
  const double* adjoints = solver.pull_back(system, problem, weights.data(), ends.data());
  p.adjoints.assign(adjoints, adjoints + 2 * lanes);
  for (const OdeEnd& end : ends) EXPECT_TRUE(end.complete);
  return p;
}

constexpr AdjointSizes kSizes{.states = 1, .parameters = 1, .max_lanes = 8};

// `most_doubles` is the room for states.
Pulled pull(const EmbeddedPair& pair, Growth& system, Index lanes, Index most_doubles = 1 << 20) {
  RungeKuttaAdjoint solver(pair, kSizes, most_doubles);
  return pull_with(solver, system, lanes);
}
Pulled pull(MultistepMethod method, Growth& system, Index lanes) {
  MultistepAdjoint solver(
      method, {.method = method, .tolerance = {kTolerance, kTolerance, 100'000}}, kSizes);
  return pull_with(solver, system, lanes);
}

// Global errors of up to 100 tolerances, of solutions of size exp(2).
void expect_closed_form(const Pulled& p) {
  const double a = std::exp(0.9), b = std::exp(1.8), bound = 1000 * kTolerance;
  EXPECT_NEAR(p.values[1], b, bound);
  EXPECT_NEAR(p.adjoints[0], a + 0.5 * b, bound);
  EXPECT_NEAR(p.adjoints[1], a + 0.5 * 2.0 * b, bound);
}
template <class Method>
void expect_lanes_as_if_alone(const Method& method) {
  const std::vector<double> rates{0.9, 5.0, -3.0, 0.1};
  Growth together(rates);
  const Pulled all = pull(method, together, 4);
  for (std::size_t l = 0; l < 4; ++l) {
    Growth one({rates[l]});
    const Pulled alone = pull(method, one, 1);
    EXPECT_EQ(all.adjoints[l], alone.adjoints[0]);
    EXPECT_EQ(all.adjoints[4 + l], alone.adjoints[1]);
  }
}

class adjoint_runge_kutta : public ::testing::TestWithParam<const EmbeddedPair*> {};

TEST_P(adjoint_runge_kutta, has_the_derivatives_of_the_closed_form) {
  Growth system({0.9});
  expect_closed_form(pull(*GetParam(), system, 1));
}

TEST_P(adjoint_runge_kutta, without_the_parameters_is_rejected) {
  Growth system({0.9});
  system.parameters = 0.0;
  EXPECT_GT(std::abs(pull(*GetParam(), system, 1).adjoints[1] - std::exp(0.9) - std::exp(1.8)),
            1.0);
}

// Steps whose states had no room are made again: with the same bits.
TEST_P(adjoint_runge_kutta, makes_states_again_as_they_were) {
  Growth system({0.9, 5.0});
  const Pulled all = pull(*GetParam(), system, 2), few = pull(*GetParam(), system, 2, 16);
  EXPECT_EQ(all.adjoints, few.adjoints);
}

TEST_P(adjoint_runge_kutta, differentiates_each_lane_as_if_alone) {
  expect_lanes_as_if_alone(*GetParam());
}

// The derivatives are those of what was computed: with large steps, too, they agree with the
// differences of solutions by the same steps. A linear equation's solution is the initial state
// times a number, so dy/dy0 is the solution itself, whatever the tolerance.
TEST_P(adjoint_runge_kutta, is_exact_for_the_steps_that_were_taken) {
  Growth system({2.5});
  const Pulled p = pull(*GetParam(), system, 1);
  EXPECT_NEAR(p.adjoints[0], p.values[0] + 0.5 * p.values[1], 1e-12 * p.values[1]);
}

INSTANTIATE_TEST_SUITE_P(pairs, adjoint_runge_kutta, ::testing::Values(&kDormandPrince, &kCashKarp),
                         [](const auto& p) {
                           return std::string(p.param == &kCashKarp ? "cash_karp"
                                                                    : "dormand_prince");
                         });

class adjoint_multistep : public ::testing::TestWithParam<MultistepMethod> {};

TEST_P(adjoint_multistep, has_the_derivatives_of_the_closed_form) {
  Growth system({0.9});
  expect_closed_form(pull(GetParam(), system, 1));
}

TEST_P(adjoint_multistep, without_the_integral_is_rejected) {
  Growth system({0.9});
  system.parameters = 0.0;
  EXPECT_GT(std::abs(pull(GetParam(), system, 1).adjoints[1] - std::exp(0.9) - std::exp(1.8)), 1.0);
}

TEST_P(adjoint_multistep, differentiates_each_lane_as_if_alone) {
  expect_lanes_as_if_alone(GetParam());
}

INSTANTIATE_TEST_SUITE_P(methods, adjoint_multistep,
                         ::testing::Values(MultistepMethod::adams, MultistepMethod::bdf),
                         [](const auto& p) {
                           return std::string(p.param == MultistepMethod::bdf ? "bdf" : "adams");
                         });

// Two states, y = 1 + x and x^2 with x = (t - end) / h, in steps of 1 and 2.
TEST(polynomial_path, follows_each_step) {
  PolynomialPath path(2);
  std::array<double, 2> constant{1.0, 0.0}, slope{1.0, 0.0}, square{0.0, 1.0};
  const std::array<double*, 3> columns{constant.data(), slope.data(), square.data()};
  path.add({.t = 0.0, .h = 1.0, .next = 0}, columns, 0, 1);
  path.add({.t = 1.0, .h = 2.0, .next = 0}, columns, 0, 1);
  std::array<double, 2> y{};
  path.evaluate(path.step_at(0.25), 0.25, y.data(), 1);
  EXPECT_EQ(y, (std::array{0.25, 0.5625}));
  path.evaluate(path.step_at(2.0), 2.0, y.data(), 1);
  EXPECT_EQ(y, (std::array{0.5, 0.25}));
  EXPECT_EQ(path.step_at(1.0), 1);
  EXPECT_EQ(path.step_at(7.0), 1);
}

// 16 states at most are kept of 100 steps: every eighth.
TEST(trajectory, thins_its_states_evenly) {
  Trajectory trajectory(1, 16);
  for (int k = 0; k < 100; ++k) {
    const double y = k;
    trajectory.add({.t = double(k), .h = 1.0, .next = 0}, &y, 1);
  }
  EXPECT_EQ(trajectory.num_steps(), 100);
  EXPECT_EQ(trajectory.spacing(), 8);
  for (Index k = 0; k < 100; ++k) {
    ASSERT_EQ(trajectory.has_state(k), k % 8 == 0) << k;
    if (k % 8 == 0) {
      EXPECT_EQ(*trajectory.state(k), double(k));
    }
  }
}

}  // namespace
}  // namespace credo::numerics::ode_adjoint_test
