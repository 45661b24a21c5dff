// Routines of differential equations give a lane the bits that it has alone, also where some lanes
// turn out stiff and are solved by another method.
#include <gtest/gtest.h>

#include "graph/solve/ode.hpp"

namespace credo::graph::ode_lanes_test {
namespace {

// y' = -q (y - sin t) from the first argument; q is the second one.
std::shared_ptr<const Routine> relaxation(OdeMethod method) {
  OdeProblem problem;
  problem.name = "relaxation";
  problem.method = method;
  problem.tolerance = {1e-7, 1e-7, 100'000};
  problem.start = {.argument = -1, .known = 0.0};
  problem.initial = {{.argument = 0}};
  problem.times = {{.argument = -1, .known = 0.5}, {.argument = -1, .known = 4.0}};
  problem.parameters = {1};
  problem.num_arguments = 2;
  const OdeTracer tracer = [](std::span<const double>, Index input_size) {
    OdeFunction f;
    f.traced.graph = std::make_unique<Graph>();
    f.traced.input = f.traced.graph->add_input(vector_shape(input_size));
    const auto at = [&](std::int32_t k) { return Expr(*f.traced.graph, Ref{f.traced.input, k}); };
    const std::array slope{-at(2) * (at(1) - sin(at(0)))};
    f.traced.outputs = {pack(vector_shape(1), slope)};
    return f;
  };
  return make_ode(problem, tracer, 1, std::array{0.0, 1.0, 1.0});
}

struct Outcome {
  std::vector<double> values, jacobian;
};

Outcome run_lanes(const Routine& routine, const std::vector<double>& arguments, std::size_t lanes) {
  const auto results = static_cast<std::size_t>(routine.num_results());
  Outcome r{std::vector<double>((results + std::size_t(routine.num_reports())) * lanes),
            std::vector<double>(results * 2 * lanes)};
  routine.run({.lanes = Index(lanes),
               .arguments = arguments.data(),
               .values = r.values.data(),
               .jacobian = r.jacobian.data()});
  return r;
}

class ode_lanes : public ::testing::TestWithParam<OdeMethod> {};

TEST_P(ode_lanes, have_the_bits_they_have_alone) {
  const auto routine = relaxation(GetParam());
  // stiff for explicit steps: the second and the last
  const std::vector<double> starts{1.0, 0.3, -2.0, 0.5}, rates{1.0, 1e6, 30.0, 3e5};
  std::vector<double> arguments = starts;
  arguments.insert(arguments.end(), rates.begin(), rates.end());
  const Outcome together = run_lanes(*routine, arguments, 4);
  for (std::size_t l = 0; l < 4; ++l) {
    const Outcome alone = run_lanes(*routine, {starts[l], rates[l]}, 1);
    for (std::size_t e = 0; e < alone.values.size(); ++e)
      EXPECT_EQ(together.values[4 * e + l], alone.values[e]) << l << ", " << e;
    for (std::size_t e = 0; e < alone.jacobian.size(); ++e)
      EXPECT_EQ(together.jacobian[4 * e + l], alone.jacobian[e]) << l << ", " << e;
    const double q = rates[l];  // once the start is forgotten
    if (l == 1 || l == 3) {
      EXPECT_NEAR(alone.values[1], q * (q * std::sin(4.0) - std::cos(4.0)) / (q * q + 1), 1e-5);
      EXPECT_NEAR(alone.jacobian[3], std::cos(4.0) / (q * q), 1e-5);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(methods, ode_lanes,
                         ::testing::Values(OdeMethod::dormand_prince, OdeMethod::bdf),
                         [](const auto& p) {
                           return std::string(p.param == OdeMethod::bdf ? "bdf" : "rk45");
                         });

}  // namespace
}  // namespace credo::graph::ode_lanes_test
