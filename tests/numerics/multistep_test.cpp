// Multistep methods against closed forms and the reference solutions of stiff problems. A
// controlled solution keeps the local error of each step below the tolerance; problems that don't
// amplify errors end within 100 tolerances.
#include "numerics/ode/multistep.hpp"

#include <gtest/gtest.h>

#include "base/stop.hpp"

namespace credo::numerics::multistep_test {
namespace {
using Values = std::vector<double>;
using Function = std::function<void(double t, const double* y, double* out)>;

// f and df/dy (by columns) of one lane's states, no sensitivities.
struct Equation {
  Index states = 1;
  Function f, jacobian;
};

// The same equation, or one each, in all lanes.
class Equations final : public StiffSystem {
 public:
  explicit Equations(std::vector<Equation> lanes) : lanes_(std::move(lanes)) {}
  void derivative(const double* t, const double* y, double* dy) override { states(t, y, dy); }
  void states(const double* t, const double* y, double* dy) override {
    ++calls;
    each(t, y, dy, &Equation::f, lanes_[0].states);
  }
  void jacobian(const double* t, const double* y, double* df) override {
    each(t, y, df, &Equation::jacobian, lanes_[0].states * lanes_[0].states);
  }
  bool failed(Index lane) const override { return lane == failing && calls >= fails_at; }
  Index calls = 0, failing = -1, fails_at = 0;

 private:
  void each(const double* t, const double* y, double* out, Function Equation::*function,
            Index size) const {
    const Index n = lanes_[0].states, lanes = ssize(lanes_);
    Values one(static_cast<std::size_t>(n)), result(static_cast<std::size_t>(size));
    for (Index l = 0; l < lanes; ++l) {
      for (Index i = 0; i < n; ++i) one[static_cast<std::size_t>(i)] = y[i * lanes + l];
      (lanes_[static_cast<std::size_t>(l)].*function)(t[l], one.data(), result.data());
      for (Index e = 0; e < size; ++e) out[e * lanes + l] = result[static_cast<std::size_t>(e)];
    }
  }
  std::vector<Equation> lanes_;
};

struct Solved {
  Values out;  // [time][element][lane]
  std::vector<OdeEnd> ends;
};

// `initial` is one lane's, the same in all. The last `algebraic` states have no derivatives.
template <Index algebraic = 0>
Solved solve(Multistep& solver, StiffSystem& system, Index lanes, const Values& initial,
             const Values& times, const OdeTolerance& tolerance) {
  const auto count = static_cast<std::size_t>(lanes);
  const auto repeated = [&](const Values& values) {
    Values all;
    for (const double value : values) all.insert(all.end(), count, value);
    return all;
  };
  const Values start(count, 0.0), first = repeated(initial), wanted = repeated(times);
  Solved solved{Values(first.size() * times.size(), kNaN), std::vector<OdeEnd>(count)};
  solver.solve(system,
               {.lanes = lanes,
                .start = start.data(),
                .initial = first.data(),
                .times = wanted.data(),
                .num_times = ssize(times),
                .out = solved.out.data(),
                .tolerance = tolerance,
                .algebraic = algebraic},
               solved.ends.data());
  return solved;
}

Solved solve(MultistepMethod method, StiffSystem& system, const Values& initial,
             const Values& times, double tolerance, Index max_steps = 100'000) {
  Multistep solver(method, ssize(initial), 0, 8);
  return solve(solver, system, 1, initial, times, {tolerance, tolerance, max_steps});
}

double worst(const Values& values, const Values& reference, double tolerance) {
  double largest = 0.0;
  for (std::size_t k = 0; k < reference.size(); ++k) {
    const double error = std::abs(values[k] - reference[k]);
    largest = std::max(largest, error / (tolerance + tolerance * std::abs(reference[k])));
  }
  return largest;
}

// ---- a linear chain with sensitivities

// y1' = -p y1, y2' = p y1 - 1000 y2: stiff, linear. Columns: by p, and by y1 at the start.
class Chains final : public StiffSystem {
 public:
  explicit Chains(Values p) : p_(std::move(p)) {}
  void derivative(const double* t, const double* y, double* dy) override {
    states(t, y, dy);
    const std::size_t lanes = p_.size();
    for (std::size_t l = 0; l < lanes; ++l) {
      for (std::size_t j = 0; j < 2; ++j) {
        const double* s = y + (2 + j) * lanes + l;
        double* ds = dy + (2 + j) * lanes + l;
        const double direct = j == 0 ? y[l] : 0.0;
        ds[0] = -p_[l] * s[0] - direct;
        ds[2 * lanes] = p_[l] * s[0] - kFast * s[2 * lanes] + direct;
      }
    }
  }
  void states(const double*, const double* y, double* dy) override {
    ++calls;
    const std::size_t lanes = p_.size();
    for (std::size_t l = 0; l < lanes; ++l) {
      dy[l] = -p_[l] * y[l];
      dy[lanes + l] = p_[l] * y[l] - kFast * y[lanes + l];
    }
  }
  void jacobian(const double*, const double*, double* df) override {
    const std::size_t lanes = p_.size();
    for (std::size_t l = 0; l < lanes; ++l) {
      df[l] = -p_[l], df[lanes + l] = p_[l];
      df[2 * lanes + l] = 0.0, df[3 * lanes + l] = knows_jacobian ? -kFast : 0.0;
    }
  }
  bool failed(Index) const override { return false; }
  static constexpr double kFast = 1000.0;
  Index calls = 0;
  bool knows_jacobian = true;

 private:
  Values p_;
};

double first(double p, double t) { return std::exp(-p * t); }
double second(double p, double t) {
  return p / (Chains::kFast - p) * (std::exp(-p * t) - std::exp(-Chains::kFast * t));
}

// States, then rows of sensitivities.
Values chain_solution(double p, const Values& times) {
  constexpr double d = 1e-4;  // of a central difference: its error is below 1e-9
  Values all;
  for (const double t : times) {
    const double by_p = (second(p + d, t) - second(p - d, t)) / (2 * d);
    all.insert(all.end(),
               {first(p, t), second(p, t), -t * first(p, t), first(p, t), by_p, second(p, t)});
  }
  return all;
}

const Values kChainStart{1.0, 0.0, 0.0, 1.0, 0.0, 0.0}, kChainTimes{0.001, 0.5, 3.0};

class multistep : public ::testing::TestWithParam<MultistepMethod> {
 protected:
  Solved solve_chains(Chains& system, Index lanes, double tolerance) {
    Multistep solver(GetParam(), 2, 2, 8);
    return solve(solver, system, lanes, kChainStart, kChainTimes,
                 {tolerance, tolerance, 1'000'000});
  }
};

TEST_P(multistep, keeps_its_tolerance_with_sensitivities) {
  for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
    Chains system({0.7});
    const Solved solved = solve_chains(system, 1, tolerance);
    ASSERT_TRUE(solved.ends[0].complete);
    EXPECT_LT(worst(solved.out, chain_solution(0.7, kChainTimes), tolerance), 100) << tolerance;
  }
}

TEST_P(multistep, solves_each_lane_as_if_alone) {
  const Values p{0.7, 20.0, 0.01, 3.0, 700.0, 1.0, 2.0, 90.0};
  for (const std::size_t lanes : {2, 4, 8}) {
    Chains all(Values(p.begin(), p.begin() + Index(lanes)));
    const Solved together = solve_chains(all, Index(lanes), 1e-7);
    for (std::size_t l = 0; l < lanes; ++l) {
      Chains one({p[l]});
      const Solved alone = solve_chains(one, 1, 1e-7);
      for (std::size_t e = 0; e < alone.out.size(); ++e)
        ASSERT_EQ(together.out[lanes * e + l], alone.out[e]) << l << ", " << e;
    }
  }
}

// An implicit method's steps are as long as the slow part allows; without the fast part's
// derivative the corrector only converges in steps below 2 / 1000.
TEST_P(multistep, is_implicit_and_rejects_a_wrong_jacobian) {
  Chains right({0.7}), wrong({0.7});
  wrong.knows_jacobian = false;
  EXPECT_TRUE(solve_chains(right, 1, 1e-6).ends[0].complete);
  solve_chains(wrong, 1, 1e-6);
  EXPECT_GT(wrong.calls, 3000);  // 3 / (2 / 1000) steps of two iterations
  EXPECT_LT(right.calls, GetParam() == MultistepMethod::bdf ? 500 : wrong.calls);
}

// Both states rest at 0, and the first one's derivative by its start is exp(-p t) all the same.
TEST_P(multistep, minds_sensitivities_of_states_at_rest) {
  Chains system({0.7});
  Multistep solver(GetParam(), 2, 2, 8);
  const Solved solved =
      solve(solver, system, 1, {0.0, 0.0, 0.0, 1.0, 0.0, 0.0}, kChainTimes, {1e-6, 1e-6, 10'000});
  for (std::size_t k = 0; k < kChainTimes.size(); ++k)
    EXPECT_NEAR(solved.out[6 * k + 3], first(0.7, kChainTimes[k]), 1e-4);
}

// A solver that is used again, after another problem, gives the bits of a new one.
TEST_P(multistep, forgets_what_it_solved) {
  const auto run = [&](Multistep& solver, double p) {
    Chains system({p});
    return solve(solver, system, 1, kChainStart, kChainTimes, {1e-7, 1e-7, 10'000}).out;
  };
  Multistep fresh(GetParam(), 2, 2, 8), used(GetParam(), 2, 2, 8);
  run(used, 5.0);
  EXPECT_EQ(run(fresh, 0.7), run(used, 0.7));
}

// ---- order

Equation oscillator(double w) {
  return {.states = 2,
          .f = [w](double, const double* y, double* dy) { dy[0] = y[1], dy[1] = -w * w * y[0]; },
          .jacobian = [w](double, const double*,
                          double* j) { j[0] = 0.0, j[1] = -w * w, j[2] = 1.0, j[3] = 0.0; }};
}

const Values kTenSteps{1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0};

// Backward differentiation damps oscillations, in each step by less than the tolerance, so that
// errors of all steps (some hundred) add up.
TEST_P(multistep, follows_oscillations) {
  for (const double tolerance : {1e-5, 1e-7, 1e-9}) {
    Equations system({oscillator(2.0)});
    const Solved solved = solve(GetParam(), system, {1.0, 0.0}, kTenSteps, tolerance);
    Values reference;
    for (const double t : kTenSteps)
      reference.insert(reference.end(), {std::cos(2 * t), -2 * std::sin(2 * t)});
    EXPECT_LT(worst(solved.out, reference, tolerance), 400) << tolerance;
  }
}

// An error of a millionth takes 10^(6/6) = 10 times as many steps at order 5, and with an order
// that rises at most 10^(6/13) = 3 times as many.
TEST_P(multistep, raises_its_order) {
  Equations rough({oscillator(2.0)}), fine({oscillator(2.0)});
  solve(GetParam(), rough, {1.0, 0.0}, kTenSteps, 1e-5);
  solve(GetParam(), fine, {1.0, 0.0}, kTenSteps, 1e-11);
  const double ratio = double(fine.calls) / double(rough.calls);
  const bool bdf = GetParam() == MultistepMethod::bdf;
  EXPECT_GT(ratio, bdf ? 5.0 : 1.5);
  EXPECT_LT(ratio, bdf ? 14.0 : 5.0);
}

// Steps join, and their polynomials are the solution.
TEST_P(multistep, tells_its_steps) {
  struct Steps final : StepRecorder {
    void record(Index, const OdeStep& step, std::span<double* const> columns, Index) override {
      EXPECT_NEAR(step.t, end, 1e-14);
      end = step.t + step.h;
      double middle = 0.0;  // half a step before its end
      for (std::size_t j = columns.size(); j-- > 0;) middle = columns[j][0] - 0.5 * middle;
      EXPECT_NEAR(columns[0][0], std::cos(2 * end), 1e-3);
      EXPECT_NEAR(middle, std::cos(2 * end - step.h), 1e-3);
    }
    double end = 0.0;
  } steps;
  Equations system({oscillator(2.0)});
  const Values start{0.0}, initial{1.0, 0.0}, times{3.0};
  Values out(2);
  OdeEnd end;
  Multistep(GetParam(), 2, 0, 1)
      .solve(system,
             {.start = start.data(),
              .initial = initial.data(),
              .times = times.data(),
              .num_times = 1,
              .out = out.data(),
              .tolerance = {},
              .recorder = &steps},
             &end);
  EXPECT_GE(steps.end, 3.0);
}

// ---- ends

TEST_P(multistep, says_that_steps_are_not_enough) {
  Equations system({oscillator(40.0), oscillator(0.5)});
  Multistep solver(GetParam(), 2, 0, 8);
  const Solved solved = solve(solver, system, 2, {1.0, 0.0}, {0.5}, {1e-6, 1e-6, 40});
  EXPECT_FALSE(solved.ends[0].complete);
  EXPECT_TRUE(solved.ends[0].out_of_steps);
  EXPECT_TRUE(solved.ends[1].complete);
}

TEST_P(multistep, ends_a_lane_that_fails) {
  for (const Index at : {0, 2, 20}) {
    Equations system({oscillator(1.0), oscillator(1.0)});
    system.failing = 1, system.fails_at = at;
    Multistep solver(GetParam(), 2, 0, 8);
    const Solved solved = solve(solver, system, 2, {1.0, 0.0}, kTenSteps, {1e-6, 1e-6, 1000});
    EXPECT_TRUE(solved.ends[0].complete);
    EXPECT_FALSE(solved.ends[1].complete);
    EXPECT_FALSE(solved.ends[1].out_of_steps);
  }
}

TEST_P(multistep, ends_at_once_where_a_time_is_unknown) {
  for (const Values& times : {Values{1.0, kNaN}, Values{kNaN, 1.0}, Values{1.0, kInfinity}}) {
    Equations system({oscillator(1.0)});
    EXPECT_FALSE(solve(GetParam(), system, {1.0, 0.0}, times, 1e-6).ends[0].complete);
    EXPECT_LT(system.calls, 3);
  }
}

// y' = y^2 from 1 is 1 / (1 - t): infinite at 1.
TEST_P(multistep, ends_where_the_solution_does) {
  Equations system({{.f = [](double, const double* y, double* dy) { dy[0] = y[0] * y[0]; },
                     .jacobian = [](double, const double* y, double* j) { j[0] = 2 * y[0]; }}});
  const Solved solved = solve(GetParam(), system, {1.0}, {0.5, 2.0}, 1e-8);
  EXPECT_FALSE(solved.ends[0].complete);
  EXPECT_FALSE(solved.ends[0].out_of_steps);
  EXPECT_NEAR(solved.ends[0].reached, 1.0, 1e-3);
  EXPECT_NEAR(solved.out[0], 2.0, 1e-5);
}

// y' = 1 - y stays below 1; above, where f isn't a number, no step may end.
TEST_P(multistep, shortens_steps_where_f_is_not_finite) {
  Equations system({{.f = [](double, const double* y,
                             double* dy) { dy[0] = y[0] > 1.0 + 1e-4 ? kNaN : 1.0 - y[0]; },
                     .jacobian = [](double, const double*, double* j) { j[0] = -1.0; }}});
  const Solved solved = solve(GetParam(), system, {0.0}, {1.0, 5.0, 200.0}, 1e-3);
  ASSERT_TRUE(solved.ends[0].complete);
  EXPECT_NEAR(solved.out[0], 1 - std::exp(-1.0), 1e-2);
  EXPECT_NEAR(solved.out[2], 1.0, 1e-2);
}

// A jump of the right-hand side: falling at rate 1 until t = 1, rising at rate 2 from there.
TEST_P(multistep, crosses_a_jump) {
  Equations system({{.f = [](double t, const double*, double* dy) { dy[0] = t < 1 ? -1.0 : 2.0; },
                     .jacobian = [](double, const double*, double* j) { j[0] = 0.0; }}});
  const Solved solved = solve(GetParam(), system, {0.0}, {0.5, 3.0}, 1e-7);
  EXPECT_NEAR(solved.out[0], -0.5, 1e-6);
  EXPECT_NEAR(solved.out[1], 3.0, 1e-5);
}

TEST_P(multistep, obeys_the_stop_flag) {
  const StopFlag stop{true};
  const StopScope scope(&stop);
  Equations system({oscillator(1.0)});
  EXPECT_THROW(solve(GetParam(), system, {1.0, 0.0}, {1.0}, 1e-6), Stopped);
}

INSTANTIATE_TEST_SUITE_P(methods, multistep,
                         ::testing::Values(MultistepMethod::adams, MultistepMethod::bdf),
                         [](const auto& p) {
                           return std::string(p.param == MultistepMethod::bdf ? "bdf" : "adams");
                         });

// ---- formulas

// Backward differentiation of order 2 is (1 + x)(1 + x/2); Adams' error constants are those of the
// Adams-Moulton formulas (Hairer, Nørsett and Wanner I, III.1, table 1.2).
TEST(multistep_formula_suite, has_the_known_coefficients) {
  const MultistepFormula bdf(MultistepMethod::bdf), adams(MultistepMethod::adams);
  EXPECT_DOUBLE_EQ(bdf.l[2][1], 1.5);
  EXPECT_DOUBLE_EQ(bdf.l[2][2], 0.5);
  EXPECT_DOUBLE_EQ(bdf.l[5][1], 137.0 / 60);
  const Values errors{0.5, 1.0 / 12, 1.0 / 24, 19.0 / 720, 3.0 / 160, 863.0 / 60480};
  for (std::size_t q = 1; q <= errors.size(); ++q)
    EXPECT_NEAR(adams.error[q], errors[q - 1], 1e-15) << q;
  EXPECT_DOUBLE_EQ(adams.high[4], 8.0 / 3);
  EXPECT_DOUBLE_EQ(adams.l[4][1], 8.0 / 3);  // of Adams and Bashforth's 3/8
}

double value_at(const MultistepFormula::Polynomial& p, double x, bool slope) {
  double value = 0.0;
  for (std::size_t k = p.size(); k-- > (slope ? 1 : 0);)
    value = value * x + (slope ? double(k) : 1.0) * p[k];
  return value;
}

// Corrections leave what they must not change: the values behind t_n, or Adams' last value and the
// slopes behind t_n. So do changes of order, which also leave the value (the slope) at t_n. Roots
// within the rounding of coefficients as large as 12! / 2.
TEST(multistep_formula_suite, leaves_what_is_known) {
  for (const auto method : {MultistepMethod::bdf, MultistepMethod::adams}) {
    const MultistepFormula f(method);
    const bool slopes = method == MultistepMethod::adams;
    for (int order = 1; order <= f.max_order; ++order) {
      const auto q = static_cast<std::size_t>(order);
      EXPECT_DOUBLE_EQ(f.l[q][0], 1.0);
      EXPECT_DOUBLE_EQ(f.growth[q][q], 1.0);
      EXPECT_EQ(f.growth[q][0], 0.0);
      EXPECT_NEAR(value_at(f.l[q], -1.0, false), 0.0, 1e-12) << order;
      for (int j = 1; j < order; ++j) {
        EXPECT_NEAR(value_at(f.l[q], -j, slopes), 0.0, 1e-7) << order << ", " << j;
        EXPECT_NEAR(value_at(f.growth[q], -(j - slopes), slopes) / f.factorial[q], 0.0, 1e-7)
            << order << ", " << j;
      }
    }
  }
}

// ---- stiff problems with published solutions

struct StiffProblem {
  const char* name;
  Equation equation;
  Values initial, times, reference;
  double multiple;  // of the tolerance, allowed
  Index most_calls;
};

Equation robertson() {
  return {.states = 3,
          .f =
              [](double, const double* y, double* dy) {
                dy[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
                dy[2] = 3e7 * y[1] * y[1];
                dy[1] = -dy[0] - dy[2];
              },
          .jacobian =
              [](double, const double* y, double* j) {
                j[0] = -0.04, j[1] = 0.04, j[2] = 0.0;
                j[3] = 1e4 * y[2], j[5] = 6e7 * y[1], j[4] = -j[3] - j[5];
                j[6] = 1e4 * y[1], j[7] = -j[6], j[8] = 0.0;
              }};
}

Equation van_der_pol(double mu) {
  return {.states = 2,
          .f = [mu](double, const double* y,
                    double* dy) { dy[0] = y[1], dy[1] = mu * (1 - y[0] * y[0]) * y[1] - y[0]; },
          .jacobian =
              [mu](double, const double* y, double* j) {
                j[0] = 0.0, j[1] = -2 * mu * y[0] * y[1] - 1;
                j[2] = 1.0, j[3] = mu * (1 - y[0] * y[0]);
              }};
}

Equation oregonator() {
  constexpr double s = 77.27, q = 8.375e-6, w = 0.161;
  return {.states = 3,
          .f =
              [](double, const double* y, double* dy) {
                dy[0] = s * (y[1] + y[0] * (1 - q * y[0] - y[1]));
                dy[1] = (y[2] - (1 + y[0]) * y[1]) / s;
                dy[2] = w * (y[0] - y[2]);
              },
          .jacobian =
              [](double, const double* y, double* j) {
                j[0] = s * (1 - 2 * q * y[0] - y[1]), j[1] = -y[1] / s, j[2] = w;
                j[3] = s * (1 - y[0]), j[4] = -(1 + y[0]) / s, j[5] = 0.0;
                j[6] = 0.0, j[7] = 1 / s, j[8] = -w;
              }};
}

// Solutions at the ends: [hairer1996, IV.10] and [mazzia2008]; van der Pol's time and slope there
// are scaled by 1000. Where a limit cycle is passed, an error of phase stays: hence the multiples.
// Calls of f:
// CVODES (6.4) makes 1811, 4063 and 7458 of them at 1e-9.
std::vector<StiffProblem> stiff_problems() {
  return {{"robertson",
           robertson(),
           {1, 0, 0},
           {40.0, 1e11},
           {0.7158270687194, 0.9185534764558e-5, 0.2841637457458, 0.2083340149701255e-7,
            0.8333360770334713e-13, 0.9999999791665050},
           100,
           3000},
          {"van_der_pol",
           van_der_pol(1000),
           {2, 0},
           {2000.0},
           {1.706167732170483, -0.8928097010247975e-3},
           2000,
           7000},
          {"oregonator",
           oregonator(),
           {1, 2, 3},
           {360.0},
           {0.1000814870318523e1, 0.1228178521549917e4, 0.1320554942846706e3},
           2000,
           9000}};
}

TEST(stiff_problems, are_solved_to_the_tolerance_in_few_steps) {
  for (const StiffProblem& problem : stiff_problems()) {
    for (const double tolerance : {1e-5, 1e-7, 1e-9}) {
      Equations system({problem.equation});
      const Solved solved =
          solve(MultistepMethod::bdf, system, problem.initial, problem.times, tolerance);
      ASSERT_TRUE(solved.ends[0].complete) << problem.name;
      EXPECT_LT(worst(solved.out, problem.reference, tolerance), problem.multiple)
          << problem.name << ", " << tolerance;
      EXPECT_LT(system.calls, problem.most_calls) << problem.name << ", " << tolerance;
    }
  }
}

// ---- factors

// ---- states without derivatives

// y1' = v, 0 = v + q y1 - y2, 0 = y2 - q, with y2 and v unknown at the start: y1 goes to 1.
Equation constrained(double q) {
  return {.states = 3,
          .f = [q](double, const double* y,
                   double* dy) { dy[0] = y[2], dy[1] = y[2] + q * y[0] - y[1], dy[2] = y[1] - q; },
          .jacobian =
              [q](double, const double*, double* j) {
                const std::array columns{0.0, q, 0.0, 0.0, -1.0, 1.0, 1.0, 1.0, 0.0};
                std::copy(columns.begin(), columns.end(), j);
              }};
}

// Of order one behind a start that doesn't fit, in which errors aren't judged; then controlled.
TEST(multistep_suite, solves_equations_without_derivatives_in_each_lane) {
  const Values rates{0.5, 3.0}, times{0.1, 1.0, 4.0}, initial{0.0, 7.0, -7.0};
  const OdeTolerance tolerance{1e-8, 1e-8, 10'000};
  Equations both({constrained(rates[0]), constrained(rates[1])});
  Multistep solver(MultistepMethod::bdf, 3, 0, 8);
  const Solved together = solve<2>(solver, both, 2, initial, times, tolerance);
  for (std::size_t l = 0; l < 2; ++l) {
    Equations one({constrained(rates[l])});
    const Solved alone = solve<2>(solver, one, 1, initial, times, tolerance);
    EXPECT_TRUE(alone.ends[0].complete);
    for (std::size_t k = 0; k < times.size(); ++k) {
      EXPECT_NEAR(alone.out[3 * k], 1.0 - std::exp(-rates[l] * times[k]), 1e-6);
      EXPECT_NEAR(alone.out[3 * k + 1], rates[l], 1e-6);
      for (std::size_t i = 0; i < 3; ++i)
        EXPECT_EQ(together.out[(3 * k + i) * 2 + l], alone.out[3 * k + i]);
    }
  }
}

// Matrices that need rows exchanged, each lane its own: (I - gamma J) x gives b again.
TEST(lane_factors, solve_the_systems_of_all_lanes) {
  constexpr Index n = 5, lanes = 4, columns = 3;
  LaneFactors factors(n, 8);
  factors.set_lanes(lanes);
  Values jacobian(n * n * lanes), b(n * columns * lanes);
  for (std::size_t e = 0; e < jacobian.size(); ++e) jacobian[e] = 3 * std::sin(double(e * e + 1));
  for (std::size_t e = 0; e < b.size(); ++e) b[e] = std::cos(double(3 * e));
  Values x = b;
  const auto gamma = [](Index lane) { return 0.5 * double(lane + 1); };
  jacobian[2] = 1.0 / gamma(2);  // nothing on this lane's diagonal without an exchange
  for (Index l = 0; l < lanes; ++l) ASSERT_TRUE(factors.factor(l, gamma(l), jacobian.data()));
  factors.solve(x.data(), columns);
  const auto at = [&](const Values& v, Index i, Index j, Index l) {
    return v[static_cast<std::size_t>((i * columns + j) * lanes + l)];
  };
  for (Index l = 0; l < lanes; ++l) {
    for (Index j = 0; j < columns; ++j) {
      for (Index i = 0; i < n; ++i) {
        double sum = at(x, i, j, l);
        for (Index k = 0; k < n; ++k) {
          const auto place = static_cast<std::size_t>((k * n + i) * lanes + l);
          sum -= gamma(l) * jacobian[place] * at(x, k, j, l);
        }
        EXPECT_NEAR(sum, at(b, i, j, l), 1e-12);
      }
    }
  }
}

TEST(lane_factors, refuse_a_singular_matrix) {
  LaneFactors factors(2, 1);
  const Values jacobian{1.0, 2.0, 0.0, 0.5};  // I - J has a zero first row
  EXPECT_FALSE(factors.factor(0, 1.0, jacobian.data()));
  const Values infinite{kInfinity, 0.0, 0.0, 1.0};
  EXPECT_FALSE(factors.factor(0, 1.0, infinite.data()));
}

}  // namespace
}  // namespace credo::numerics::multistep_test
