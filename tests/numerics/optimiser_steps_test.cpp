// One suite over the tables of optimiser steps and of step sizes.
#include "credo/optimiser.hpp"

#include <gtest/gtest.h>

#include "base/archive.hpp"
#include "base/error.hpp"
#include "base/types.hpp"

namespace credo::numerics::optimiser_steps_test {
namespace {
using Numbers = std::vector<double>;

// The position after the first and after the second step of size 0.1 from 0.5 by gradients of 2 and then -1, by the formulas of the
// sources. Adam's means after two steps: m̂ = (0.9·0.1·2 - 0.1)/0.19, ŝ = (0.999·0.001·4 + 0.001)/(1 - 0.999²).
using TwoSteps = std::array<double, 2>;
const std::map<std::string_view, TwoSteps>& known_steps() {
  const double m = 0.08 / 0.19, s = (0.999 * 0.004 + 0.001) / (1.0 - 0.999 * 0.999),
               root = std::sqrt(s);
  static const std::map<std::string_view, TwoSteps> kKnown{
      {"gradient", {0.7, 0.6}},
      {"momentum", {0.7, 0.7 + 0.1 * 0.8}},
      {"nesterov", {0.5 + 0.1 * (2.0 + 1.8), 0.88 + 0.1 * (-1.0 + 0.9 * 0.8)}},
      {"adagrad", {0.6, 0.6 - 0.1 / std::sqrt(5.0)}},
      {"rmsprop", {0.5 + 0.2 / std::sqrt(0.4), 0.5 + 0.2 / std::sqrt(0.4) - 0.1 / std::sqrt(0.46)}},
      {"adam", {0.6, 0.6 + 0.1 * m / root}},
      {"amsgrad", {0.6, 0.6 + 0.1 * m / 2.0}},
      {"nadam", {0.5 + 0.1 * 1.9, 0.69 + 0.1 * (0.9 * m - 0.1 / 0.19) / root}},
      {"adamax", {0.6, 0.6 + 0.1 * m / (0.999 * 2.0)}},
      {"adamw", {0.5 * 0.999 + 0.1, (0.5 * 0.999 + 0.1) * 0.999 + 0.1 * m / root}},
      {"lion", {0.5 * 0.999 + 0.1, (0.5 * 0.999 + 0.1) * 0.999 - 0.1}},  // sign(0.9·0.02 - 0.1)
      {"natural", {0.5 + 0.1 * 2.0 / 4.0, 0.55 - 0.1 / 4.0}},            // information 4
  };
  return kKnown;
}

TwoSteps two_steps(const StepRow& row) {
  Optimiser optimiser(row, 1);
  Numbers x{0.5};
  const Numbers information{4.0};
  TwoSteps found{};
  EXPECT_TRUE(optimiser.climb(x, Numbers{2.0}, 0.1, information));
  found[0] = x[0];
  EXPECT_TRUE(optimiser.climb(x, Numbers{-1.0}, 0.1, information));
  found[1] = x[0];
  return found;
}

// epsilon (1e-8) beside roots of squares above 0.5
bool agrees(const StepRow& row) {
  const TwoSteps found = two_steps(row), known = known_steps().at(row.name);
  return std::fabs(found[0] - known[0]) < 1e-8 && std::fabs(found[1] - known[1]) < 1e-8;
}

TEST(optimiser_steps, the_first_two_steps_are_those_of_the_formulas) {
  EXPECT_EQ(known_steps().size(), optimiser_steps().size());
  for (const StepRow& row : optimiser_steps()) EXPECT_TRUE(agrees(row)) << row.name;
}

TEST(optimiser_steps, adam_without_its_correction_for_the_start_is_rejected) {
  StepRow mutant = optimiser_step("adam");
  mutant.step = [](const StepCall& call) {
    for (std::size_t k = 0; k < call.position.size(); ++k) {
      call.memory[0][k] = 0.9 * call.memory[0][k] + 0.1 * call.gradient[k];
      call.memory[1][k] = 0.999 * call.memory[1][k] + 0.001 * call.gradient[k] * call.gradient[k];
      call.position[k] += call.rate * call.memory[0][k] / (std::sqrt(call.memory[1][k]) + 1e-8);
    }
  };
  EXPECT_FALSE(agrees(mutant));
}

// -½ Σ a_k (x_k - k)², a = 1, 4, 16, times a factor.
struct Quadratic {
  double factor = 1.0;
  static constexpr std::array kCurvature{1.0, 4.0, 16.0};
  Numbers gradient(const Numbers& x) const {
    Numbers g;
    for (std::size_t k = 0; k < 3; ++k)
      g.push_back(-factor * kCurvature[k] * (x[k] - static_cast<double>(k)));
    return g;
  }
  Numbers information() const {
    return {factor * kCurvature[0], factor * kCurvature[1], factor * kCurvature[2]};
  }
  Numbers climbed(const StepRow& row, double rate, Index num_steps) const {
    Optimiser optimiser(row, 3);
    const StepSize size(rate_rule("cosine"), rate, num_steps);
    Numbers x{4.0, -3.0, 5.0};
    for (Index t = 1; t <= num_steps; ++t)
      EXPECT_TRUE(optimiser.climb(x, gradient(x), size.at(t), information()));
    return x;
  }
};

TEST(optimiser_steps, every_optimiser_climbs_a_quadratic) {
  for (const StepRow& row : optimiser_steps()) {
    const bool keeps_size = row.name == "adagrad";  // whose own steps fall already
    const Numbers x =
        Quadratic{}.climbed(row, row.is_scale_free ? (keeps_size ? 1.0 : 0.05) : 0.02, 4000);
    // The two that shrink the position end where g = w x, or where a sign flips: within 0.01 x and one step.
    const double error = row.name == "adamw" || row.name == "lion" ? 0.05 : 1e-3;
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_NEAR(x[k], static_cast<double>(k), error) << row.name << " " << k;
  }
}

TEST(optimiser_steps, a_factor_of_the_objective_changes_nothing_where_the_row_says_so) {
  for (const StepRow& row : optimiser_steps()) {
    const Numbers one = Quadratic{1.0}.climbed(row, 0.001, 20),
                  large = Quadratic{64.0}.climbed(row, 0.001, 20);
    double difference = 0.0;
    for (std::size_t k = 0; k < 3; ++k)
      difference = std::max(difference, std::fabs(one[k] - large[k]));
    if (row.is_scale_free)
      EXPECT_LT(difference, 1e-8) << row.name;  // epsilon
    else
      EXPECT_GT(difference, 1e-2) << row.name;
  }
}

TEST(optimiser_steps, a_saved_state_goes_on_with_equal_bits) {
  const Quadratic f;
  for (const StepRow& row : optimiser_steps()) {
    Optimiser whole(row, 3), first(row, 3), second(row, 3);
    Numbers x{4.0, -3.0, 5.0}, y = x;
    for (int t = 0; t < 12; ++t) whole.climb(x, f.gradient(x), 0.01, f.information());
    for (int t = 0; t < 7; ++t) first.climb(y, f.gradient(y), 0.01, f.information());
    ArchiveReader(archived(first), "state")(second).finish();
    for (int t = 0; t < 5; ++t) second.climb(y, f.gradient(y), 0.01, f.information());
    EXPECT_EQ(x, y) << row.name;
    EXPECT_EQ(second.num_steps(), 12);
  }
}

TEST(optimiser_steps, a_gradient_that_is_not_finite_changes_nothing) {
  for (const StepRow& row : optimiser_steps()) {
    Optimiser with(row, 2), without(row, 2);
    Numbers x{1.0, 2.0}, y = x;
    const Numbers information{1.0, 1.0};
    EXPECT_FALSE(with.climb(x, Numbers{kNaN, 1.0}, 0.1, information)) << row.name;
    EXPECT_EQ(x, y);
    with.climb(x, Numbers{1.0, 1.0}, 0.1, information);
    without.climb(y, Numbers{1.0, 1.0}, 0.1, information);
    EXPECT_EQ(x, y) << row.name;
  }
}

// x = A z: steps by natural gradients in z are those in x.
TEST(optimiser_steps, natural_steps_do_not_depend_on_coordinates) {
  Optimiser of_x(optimiser_step("natural"), 2), of_z(optimiser_step("natural"), 2);
  const double a = 2.0, b = 0.5, c = -1.0;            // A = [a 0; b c]
  const Numbers f{3.0, 1.0, 1.0, 2.0}, g{0.7, -0.4};  // information and gradient by x
  const Numbers by_z{a * g[0] + b * g[1], c * g[1]};
  const Numbers in_z{a * a * f[0] + 2 * a * b * f[1] + b * b * f[3], a * c * f[1] + b * c * f[3],
                     a * c * f[1] + b * c * f[3], c * c * f[3]};
  Numbers x{0.0, 0.0}, z = x;
  ASSERT_TRUE(of_x.climb(x, g, 0.3, f));
  ASSERT_TRUE(of_z.climb(z, by_z, 0.3, in_z));
  EXPECT_NEAR(x[0], a * z[0], 1e-14);
  EXPECT_NEAR(x[1], b * z[0] + c * z[1], 1e-14);
  EXPECT_NEAR(x[0], 0.3 * (2.0 * 0.7 + 0.4) / 5.0, 1e-14);  // F^-1 = [2 -1; -1 3] / 5
  const Numbers indefinite{1.0, 2.0, 2.0, 1.0};
  EXPECT_FALSE(of_x.climb(x, g, 0.3, indefinite));
  EXPECT_FALSE(of_x.climb(x, g, 0.3, Numbers{1.0, -1.0}));
}

TEST(optimiser_steps, names_and_settings_are_checked) {
  EXPECT_THROW(optimiser_step("adm"), Error);
  EXPECT_THROW(rate_rule("cosin"), Error);
  EXPECT_THROW(Optimiser(optimiser_step("momentum"), 1, Numbers{1.0}), Error);
  try {
    optimiser_step("adm");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.hint(), "did you mean adam?");
  }
}

// ---- sizes

struct KnownRates {
  double first, middle, last;  // of steps 1, 50 and 100 of 100
};

TEST(rate_rules, have_the_values_of_their_formulas) {
  const double pi = std::acos(-1.0);
  const std::map<std::string_view, KnownRates> known{
      {"constant", {1.0, 1.0, 1.0}},
      {"cosine", {1.0, 0.5 * (1.0 + std::cos(pi * 49.0 / 99.0)), 0.0}},
      {"cyclic",
       {1.0, 0.5 * (1.0 + std::cos(pi * 24.0 / 25.0)), 0.5 * (1.0 + std::cos(pi * 24.0 / 25.0))}},
      {"exponential", {1.0, std::pow(0.01, 49.0 / 99.0), 0.01}},
      {"hold", {1.0, 1.0, 0.5}},
      {"polynomial", {1.0, 0.51, 0.01}},
      {"robbins_monro", {1.0, std::pow(10.0 / 59.0, 0.75), std::pow(10.0 / 109.0, 0.75)}},
      {"stairs", {1.0, 0.1, 0.001}},
      {"warm_up", {0.1, std::sqrt(10.0 / 50.0), std::sqrt(0.1)}},
  };
  EXPECT_EQ(known.size(), rate_rules().size());
  for (const RateRow& row : rate_rules()) {
    const StepSize size(row, 3.0, 100);
    const KnownRates& rates = known.at(row.name);
    EXPECT_NEAR(size.at(1), 3.0 * rates.first, 1e-14) << row.name;
    EXPECT_NEAR(size.at(50), 3.0 * rates.middle, 1e-14) << row.name;
    EXPECT_NEAR(size.at(100), 3.0 * rates.last, 1e-14) << row.name;
  }
}

TEST(rate_rules, sizes_are_never_negative_nor_above_the_first) {
  for (const RateRow& row : rate_rules())
    for (const Index n : {1, 2, 7, 1000})
      for (Index t = 1; t <= n; ++t) {
        const double size = StepSize(row, 1.0, n).at(t);
        EXPECT_GE(size, 0.0) << row.name << " " << t << " of " << n;
        EXPECT_LE(size, 1.0) << row.name << " " << t << " of " << n;
      }
}

// The sum over the last of ten doublings of the number of steps is above half of that of the doubling before, and that of squares
// is less: sums like t^(1 - power) and t^(1 - 2 power).
TEST(rate_rules, robbins_monro_sums_are_infinite_and_those_of_squares_are_not) {
  Index num_rows = 0;
  for (const RateRow& row : rate_rules()) {
    constexpr Index kSteps = 1 << 18;
    const StepSize size(row, 1.0, kSteps);
    auto sum_over = [&](Index first, Index last, double power) {
      double sum = 0.0;
      for (Index t = first + 1; t <= last; ++t) sum += std::pow(size.at(t), power);
      return sum;
    };
    auto growth = [&](double power) {
      return sum_over(kSteps / 2, kSteps, power) / sum_over(kSteps / 4, kSteps / 2, power);
    };
    const bool holds = growth(1.0) > 1.0 && growth(2.0) < 0.9;
    if (!row.is_robbins_monro) continue;
    EXPECT_TRUE(holds) << row.name << growth(1.0) << " " << growth(2.0);
    ++num_rows;
  }
  EXPECT_EQ(num_rows, 1);
}

}  // namespace
}  // namespace credo::numerics::optimiser_steps_test
