// Derivatives of solutions that are pulled back, against forward sensitivities and closed forms.
//
// A controlled solution's global error stays below 100 tolerances (tests/numerics/ode_test.cpp),
// and so do its derivatives, which solve linear equations with the same steps. Forward
// sensitivities take part in the choice of steps and pulled ones don't: their errors are those of
// the states times how much faster they change, a factor of a few here.
#include <gtest/gtest.h>

#include "graph/solve/ode.hpp"
#include "support/alloc_count.hpp"

namespace credo::graph::ode_adjoint_test {
namespace {

Expr at(const Traced& t, Index k) { return {*t.graph, Ref{t.input, static_cast<std::int32_t>(k)}}; }

Traced begin(Index input_size) {
  Traced t;
  t.graph = std::make_unique<Graph>();
  t.input = t.graph->add_input(vector_shape(input_size));
  return t;
}

// A ring of n states: y_i' = q_0 (y_{i-1} - y_i) + q_{i mod p} sin(t) y_i - y_i^2 / 4
OdeTracer ring(Index n, Index p) {
  return [n, p](std::span<const double>, Index input_size) {
    OdeFunction f{begin(input_size), {}};
    std::vector<Expr> slopes;
    for (Index i = 0; i < n; ++i) {
      const Expr y = at(f.traced, 1 + i), before = at(f.traced, 1 + (i + n - 1) % n);
      const Expr own = at(f.traced, 1 + n + i % p), shared = at(f.traced, 1 + n);
      slopes.push_back(shared * (before - y) + own * sin(at(f.traced, 0)) * y - 0.25 * square(y));
    }
    f.traced.outputs = {pack(vector_shape(n), slopes)};
    return f;
  };
}

constexpr Index kStates = 3, kParameters = 2, kTimes = 4;

// Arguments: three initial states, of which the last is also a parameter, another parameter, the
// start, the last time.
OdeProblem ring_problem(OdeMethod method, OdeDerivatives derivatives, double tolerance) {
  OdeProblem problem;
  problem.name = "ring";
  problem.method = method;
  problem.derivatives = derivatives;
  problem.tolerance = {tolerance, tolerance, 100'000};
  problem.start = {.argument = 4};
  problem.initial = {{.argument = 0}, {.argument = 1}, {.argument = 2}};
  problem.times = {{.known = 0.7}, {.known = 1.9}, {.known = 1.9}, {.argument = 5}};
  problem.parameters = {3, 2};
  problem.num_arguments = 6;
  return problem;
}
const std::vector<double> kArguments{1.0, 0.2, 0.6, 1.3, -0.1, 3.5};

std::shared_ptr<const Routine> ring_of(OdeMethod method, OdeDerivatives derivatives,
                                       double tolerance = 1e-8) {
  const std::vector<double> reference{-0.1, 1.0, 0.2, 0.6, 1.3, 0.6};
  return make_ode(ring_problem(method, derivatives, tolerance), ring(kStates, kParameters), 1,
                  reference);
}

std::vector<double> some_weights() {
  std::vector<double> w(kTimes * kStates);
  for (std::size_t k = 0; k < w.size(); ++k) w[k] = std::cos(1.0 + double(k));
  return w;
}

struct Solved {
  std::vector<double> values, adjoints;
  double reached = -kInfinity;  // by the pass backwards
};

// Weighted derivatives of one lane, from the Jacobian or pulled back.
Solved differentiate(const Routine& routine, const std::vector<double>& arguments,
                     const std::vector<double>& weights, bool run_first = true) {
  const auto results = static_cast<std::size_t>(routine.num_results());
  const auto count = arguments.size();
  Solved s{std::vector<double>(results + std::size_t(routine.num_reports())),
           std::vector<double>(count + (routine.pulls_back() ? 1 : 0), 0.0)};
  std::vector<double> jacobian(results * count);
  RoutineCall call{.lanes = 1, .arguments = arguments.data(), .values = s.values.data()};
  if (routine.pulls_back()) {
    call.keep = true;
    if (run_first) routine.run(call);
    routine.pull_back({.lanes = 1,
                       .arguments = arguments.data(),
                       .weights = weights.data(),
                       .adjoints = s.adjoints.data()});
    s.reached = s.adjoints.back();
    s.adjoints.pop_back();
    return s;
  }
  call.jacobian = jacobian.data();
  routine.run(call);
  for (std::size_t r = 0; r < results; ++r) {
    for (std::size_t a = 0; a < count; ++a) s.adjoints[a] += weights[r] * jacobian[r * count + a];
  }
  return s;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) worst = std::max(worst, std::abs(a[k] - b[k]));
  return worst;
}

class pulled_back : public ::testing::TestWithParam<OdeMethod> {};

TEST_P(pulled_back, derivatives_are_those_of_forward_sensitivities) {
  for (const double tolerance : {1e-6, 1e-9}) {
    const auto forward = ring_of(GetParam(), OdeDerivatives::forward, tolerance);
    const auto adjoint = ring_of(GetParam(), OdeDerivatives::adjoint, tolerance);
    ASSERT_TRUE(adjoint->pulls_back());
    const Solved a = differentiate(*forward, kArguments, some_weights());
    const Solved b = differentiate(*adjoint, kArguments, some_weights());
    EXPECT_LT(largest_difference(a.values, b.values), 1e3 * tolerance);
    EXPECT_LT(largest_difference(a.adjoints, b.adjoints), 1e3 * tolerance);
  }
}

// Power: without the adjoint of one element at one time, they differ by the order of one.
TEST_P(pulled_back, derivatives_miss_a_time_that_is_left_out) {
  const auto forward = ring_of(GetParam(), OdeDerivatives::forward);
  const auto adjoint = ring_of(GetParam(), OdeDerivatives::adjoint);
  const Solved right = differentiate(*forward, kArguments, some_weights());
  for (std::size_t k = 0; k < std::size_t(kTimes * kStates); ++k) {
    std::vector<double> weights = some_weights();
    weights[k] = 0.0;
    const Solved wrong = differentiate(*adjoint, kArguments, weights);
    EXPECT_GT(largest_difference(right.adjoints, wrong.adjoints), 1e-3) << k;
  }
}

TEST_P(pulled_back, derivatives_of_a_lane_do_not_depend_on_its_neighbours) {
  const auto routine = ring_of(GetParam(), OdeDerivatives::adjoint);
  const std::vector<double> weight = some_weights();
  for (const Index lanes : {2, 4, 8}) {
    const auto count = static_cast<std::size_t>(lanes);
    std::vector<double> arguments, weights, adjoints(7 * count);
    for (const double a : kArguments) {
      for (std::size_t l = 0; l < count; ++l) arguments.push_back(a + 0.15 * double(l % 5));
    }
    for (const double w : weight) weights.insert(weights.end(), count, w);
    routine->pull_back({.lanes = lanes,
                        .arguments = arguments.data(),
                        .weights = weights.data(),
                        .adjoints = adjoints.data()});
    for (std::size_t l = 0; l < count; ++l) {
      std::vector<double> own(6);
      for (std::size_t a = 0; a < 6; ++a) own[a] = arguments[a * count + l];
      const Solved alone = differentiate(*routine, own, weight);
      for (std::size_t a = 0; a < 6; ++a)
        EXPECT_EQ(adjoints[a * count + l], alone.adjoints[a]) << lanes << ", " << l << ", " << a;
    }
  }
}

TEST_P(pulled_back, derivatives_do_not_depend_on_what_was_solved_before) {
  const auto routine = ring_of(GetParam(), OdeDerivatives::adjoint);
  const Solved kept = differentiate(*routine, kArguments, some_weights());
  std::vector<double> others = kArguments;
  others[0] = 2.0;
  differentiate(*routine, others, some_weights());
  const Solved again = differentiate(*routine, kArguments, some_weights(), false);
  EXPECT_EQ(kept.adjoints, again.adjoints);
}

// Solving and going back: the memory is there from the first time on.
TEST_P(pulled_back, derivatives_allocate_nothing_the_second_time) {
  const auto routine = ring_of(GetParam(), OdeDerivatives::adjoint);
  std::vector<double> arguments = kArguments, weights = some_weights();
  std::vector<double> values(std::size_t(routine->num_results() + routine->num_reports()));
  std::vector<double> adjoints(arguments.size() + 1);
  const auto run = [&] {
    routine->run(
        {.lanes = 1, .arguments = arguments.data(), .values = values.data(), .keep = true});
    routine->pull_back({.lanes = 1,
                        .arguments = arguments.data(),
                        .weights = weights.data(),
                        .adjoints = adjoints.data()});
  };
  run();
  const credo::testing::AllocationCount count;
  run();
  EXPECT_EQ(count.value(), 0);
}

std::string name_of(const ::testing::TestParamInfo<OdeMethod>& info) {
  constexpr std::array<const char*, 4> kNames{"dormand_prince", "cash_karp", "adams", "bdf"};
  return kNames[static_cast<std::size_t>(info.param)];
}
INSTANTIATE_TEST_SUITE_P(methods, pulled_back,
                         ::testing::Values(OdeMethod::dormand_prince, OdeMethod::cash_karp,
                                           OdeMethod::adams, OdeMethod::bdf),
                         name_of);

// By numbers of states and arguments, as docs/design/ode.md says.
TEST(pulled_back_suite, is_chosen_where_there_are_many_sensitivities) {
  const auto pulls_back = [](Index n, Index c, OdeMethod method) {
    OdeProblem problem;
    problem.name = "ring";
    problem.method = method;
    problem.initial.resize(static_cast<std::size_t>(n));
    problem.times = {{.known = 1.0}};
    for (std::int32_t q = 0; q < c; ++q) problem.parameters.push_back(q);
    problem.num_arguments = c;
    const std::vector<double> reference(static_cast<std::size_t>(1 + n + c), 0.5);
    return make_ode(problem, ring(n, c), 1, reference)->pulls_back();
  };
  EXPECT_TRUE(pulls_back(8, 32, OdeMethod::dormand_prince));
  EXPECT_TRUE(pulls_back(64, 4, OdeMethod::cash_karp));
  EXPECT_FALSE(pulls_back(8, 31, OdeMethod::dormand_prince));
  EXPECT_FALSE(pulls_back(7, 200, OdeMethod::dormand_prince));
  EXPECT_FALSE(pulls_back(128, 3, OdeMethod::dormand_prince));
  EXPECT_TRUE(pulls_back(16, 32, OdeMethod::bdf));
  EXPECT_FALSE(pulls_back(8, 32, OdeMethod::bdf));
}

// y' = -q y from 2 at 0, refused below 1: at log 2 / q.
OdeTracer decay() {
  return [](std::span<const double>, Index input_size) {
    OdeFunction f{begin(input_size), {static_cast<std::int32_t>(kOdeRefusals)}};
    const Expr y = at(f.traced, 1);
    check_less(1.0 - y, Expr(0.0), 1);
    f.traced.outputs = {pack(vector_shape(1), std::array{-at(f.traced, 2) * y})};
    return f;
  };
}

std::shared_ptr<const Routine> decay_until(double time) {
  OdeProblem problem;
  problem.name = "decay";
  problem.derivatives = OdeDerivatives::adjoint;
  problem.tolerance = {1e-10, 1e-10, 100'000};
  problem.initial = {{.known = 2.0}};
  problem.times = {{.known = time}};
  problem.parameters = {0};
  problem.num_arguments = 1;
  return make_ode(problem, decay(), 1, std::array{0.0, 2.0, 0.5});
}

// d/dq 2 exp(-q t) = -2 t exp(-q t).
TEST(pulled_back_suite, has_the_derivative_of_the_closed_form) {
  const Solved s = differentiate(*decay_until(1.2), {0.5}, {1.0});
  EXPECT_NEAR(s.values[0], 2.0 * std::exp(-0.6), 1e-8);
  EXPECT_NEAR(s.adjoints[0], -2.4 * std::exp(-0.6), 1e-8);
  EXPECT_EQ(s.reached, -kInfinity);
}

TEST(pulled_back_suite, reports_what_f_refuses_and_has_no_derivative_there) {
  const Solved s = differentiate(*decay_until(3.0), {0.5}, {1.0});
  const std::size_t refusal = 1 + std::size_t(kOdeRefusals);
  EXPECT_GE(s.values[refusal], 0.0);
  EXPECT_EQ(s.values[refusal + 1], -kInfinity);
  EXPECT_TRUE(std::isnan(s.adjoints[0]));
  EXPECT_EQ(s.reached, -kInfinity);  // as the run failed
  EXPECT_EQ(differentiate(*decay_until(3.0), {0.5}, {0.0}).adjoints[0],
            0.0);  // as nothing needs it
}

}  // namespace
}  // namespace credo::graph::ode_adjoint_test
