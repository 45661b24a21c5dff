// Explicit solvers of initial value problems against closed forms. A controlled solution keeps the
// local error of each step below the tolerance; over the few dozen steps of these problems, which
// don't amplify errors, the global one stays below 100 times as much. Where a tolerance is compared
// with a looser one, errors shrink with it.
#include <gtest/gtest.h>

#include "base/stop.hpp"
#include "numerics/ode/runge_kutta.hpp"

namespace credo::numerics::runge_kutta_test {
namespace {

// y1' = y2, y2' = -w^2 y1 with w of the lane: y1 = cos(w t) from (1, 0).
class Oscillators final : public LaneSystem {
 public:
  explicit Oscillators(std::vector<double> w) : w_(std::move(w)) {}
  void derivative(const double*, const double* y, double* dy) override {
    ++calls;
    const auto lanes = w_.size();
    for (std::size_t l = 0; l < lanes; ++l) {
      dy[l] = y[lanes + l];
      dy[lanes + l] = -w_[l] * w_[l] * y[l];
    }
  }
  bool failed(Index lane) const override { return lane == failing; }
  Index failing = -1, calls = 0;

 private:
  std::vector<double> w_;
};

struct Solved {
  std::vector<double> out;
  std::vector<OdeEnd> ends;
};

// At times 0.5, 1, ..., 10.
Solved oscillate(const EmbeddedPair& pair, Oscillators& system, Index lanes, double tolerance,
                 Index max_steps = 100'000) {
  constexpr Index kTimes = 20;
  const auto size = static_cast<std::size_t>(lanes);
  std::vector<double> start(size, 0.0), initial(2 * size, 0.0), times(kTimes * size);
  std::fill_n(initial.begin(), lanes, 1.0);
  for (std::size_t k = 0; k < times.size(); ++k) times[k] = 0.5 * double(k / size + 1);
  Solved result{std::vector<double>(2 * kTimes * size, kNaN), std::vector<OdeEnd>(size)};
  RungeKutta(pair, 2, 8)
      .solve(system,
             {.lanes = lanes,
              .start = start.data(),
              .initial = initial.data(),
              .times = times.data(),
              .num_times = kTimes,
              .out = result.out.data(),
              .tolerance = {tolerance, tolerance, max_steps}},
             result.ends.data());
  return result;
}

double worst_error(const Solved& solved, double w) {
  double worst = 0.0;
  for (std::size_t k = 0; k < solved.out.size() / 2; ++k)
    worst = std::max(worst, std::abs(solved.out[2 * k] - std::cos(w * 0.5 * double(k + 1))));
  return worst;
}

class runge_kutta : public ::testing::TestWithParam<const EmbeddedPair*> {};

TEST_P(runge_kutta, keeps_its_tolerance) {
  for (const double tolerance : {1e-4, 1e-7, 1e-10}) {
    Oscillators system({2.0});
    const Solved solved = oscillate(*GetParam(), system, 1, tolerance);
    EXPECT_TRUE(solved.ends[0].complete);
    EXPECT_LT(worst_error(solved, 2.0), 100 * tolerance) << tolerance;
  }
}

// A fifth-order solution needs 10^(6/5) = 16 times as many steps for an error of a millionth.
TEST_P(runge_kutta, takes_as_many_steps_as_its_order_says) {
  Oscillators rough({2.0}), fine({2.0});
  oscillate(*GetParam(), rough, 1, 1e-5);
  oscillate(*GetParam(), fine, 1, 1e-11);
  const double ratio = double(fine.calls) / double(rough.calls);
  EXPECT_GT(ratio, 5.0);   // steps that end at wanted times and the first ones are shared
  EXPECT_LT(ratio, 24.0);  // half again
}

TEST_P(runge_kutta, solves_each_lane_as_if_alone) {
  Oscillators all({1.0, 7.0, 0.1, 3.0});
  const Solved together = oscillate(*GetParam(), all, 4, 1e-8);
  for (std::size_t l = 0; l < 4; ++l) {
    Oscillators one({std::array{1.0, 7.0, 0.1, 3.0}[l]});
    const Solved alone = oscillate(*GetParam(), one, 1, 1e-8);
    for (std::size_t e = 0; e < alone.out.size(); ++e)
      ASSERT_EQ(together.out[4 * e + l], alone.out[e]) << l << ", " << e;
  }
}

TEST_P(runge_kutta, says_that_steps_are_not_enough) {
  Oscillators system({40.0, 0.5});
  const Solved solved = oscillate(*GetParam(), system, 2, 1e-9, 12);
  EXPECT_FALSE(solved.ends[0].complete);
  EXPECT_TRUE(solved.ends[0].out_of_steps);
  EXPECT_TRUE(solved.ends[1].complete);
}

TEST_P(runge_kutta, ends_a_lane_that_fails) {
  Oscillators system({1.0, 1.0});
  system.failing = 1;
  const Solved solved = oscillate(*GetParam(), system, 2, 1e-6);
  EXPECT_TRUE(solved.ends[0].complete);
  EXPECT_FALSE(solved.ends[1].complete);
  EXPECT_FALSE(solved.ends[1].out_of_steps);
}

INSTANTIATE_TEST_SUITE_P(pairs, runge_kutta, ::testing::Values(&kDormandPrince, &kCashKarp),
                         [](const auto& p) {
                           return std::string(p.param == &kCashKarp ? "cash_karp"
                                                                    : "dormand_prince");
                         });

// y' = y^2 from 1 is 1 / (1 - t): infinite at 1.
class Explosion final : public LaneSystem {
 public:
  void derivative(const double*, const double* y, double* dy) override { dy[0] = y[0] * y[0]; }
  bool failed(Index) const override { return false; }
};

TEST(runge_kutta_suite, ends_where_the_solution_does) {
  Explosion system;
  const double start = 0.0, initial = 1.0;
  const std::array times{0.5, 2.0};
  std::array<double, 2> out{};
  OdeEnd end;
  RungeKutta(kDormandPrince, 1, 1)
      .solve(system,
             {.lanes = 1,
              .start = &start,
              .initial = &initial,
              .times = times.data(),
              .num_times = 2,
              .out = out.data(),
              .tolerance = {1e-8, 1e-8, 1'000'000}},
             &end);
  EXPECT_FALSE(end.complete);
  EXPECT_FALSE(end.out_of_steps);
  EXPECT_NEAR(end.reached, 1.0, 1e-3);
  EXPECT_NEAR(out[0], 2.0, 1e-5);
}

// y' = -10^4 (y - cos t) in one lane, oscillations of rate 2 in the other; both take thousands of
// steps until t = 5000.
class StiffAndNot final : public LaneSystem {
 public:
  void derivative(const double* t, const double* y, double* dy) override {
    ++calls;
    dy[0] = -1e4 * (y[0] - std::cos(t[0])), dy[2] = 0.0;
    dy[1] = y[3], dy[3] = -4 * y[1];
  }
  bool failed(Index) const override { return false; }
  Index calls = 0;
};

TEST(runge_kutta_suite, gives_up_a_lane_that_is_stiff_and_no_other) {
  StiffAndNot system;
  const std::array start{0.0, 0.0}, times{5000.0, 5000.0};
  const std::array initial{1.0, 1.0, 0.0, 0.0};
  std::array<double, 4> out{};
  std::array<OdeEnd, 2> ends;
  RungeKutta(kDormandPrince, 2, 2)
      .solve(system,
             {.lanes = 2,
              .start = start.data(),
              .initial = initial.data(),
              .times = times.data(),
              .num_times = 1,
              .out = out.data(),
              .tolerance = {},
              .recorder = nullptr,
              .ends_stiff = true},
             ends.data());
  EXPECT_TRUE(ends[0].stiff);
  EXPECT_FALSE(ends[0].complete);
  EXPECT_LT(ends[0].reached, 1.0);  // 1500 steps of 3.3 / 10^4 would lead to 0.5
  EXPECT_FALSE(ends[1].stiff);
  EXPECT_TRUE(ends[1].complete);
  EXPECT_GT(system.calls, 6 * 10'000);  // the second lane alone, and nothing of the first
}

TEST(runge_kutta_suite, ends_at_once_where_a_time_is_unknown) {
  Oscillators system({2.0});
  const double start = 0.0;
  const std::array initial{1.0, 0.0}, times{kNaN, 2.0};
  std::array<double, 4> out{};
  OdeEnd end;
  RungeKutta(kDormandPrince, 2, 1)
      .solve(system,
             {.lanes = 1,
              .start = &start,
              .initial = initial.data(),
              .times = times.data(),
              .num_times = 2,
              .out = out.data(),
              .tolerance = {}},
             &end);
  EXPECT_FALSE(end.complete);
  EXPECT_EQ(system.calls, 1);
}

// Power: weights of another method miss the tolerance.
TEST(runge_kutta_suite, rejects_a_wrong_weight) {
  EmbeddedPair wrong = kDormandPrince;
  wrong.b[2] += 1e-3, wrong.a[6][2] += 1e-3;
  Oscillators system({2.0});
  EXPECT_GT(worst_error(oscillate(wrong, system, 1, 1e-8), 2.0), 1e-6);
}

TEST(runge_kutta_suite, obeys_the_stop_flag) {
  const StopFlag stop{true};
  const StopScope scope(&stop);
  Oscillators system({2.0});
  EXPECT_THROW(oscillate(kDormandPrince, system, 1, 1e-6), Stopped);
}

}  // namespace
}  // namespace credo::numerics::runge_kutta_test
