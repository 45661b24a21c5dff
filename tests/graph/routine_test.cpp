// Rows that run a routine: values and derivatives are the routine's, in each lane, once.
#include <gtest/gtest.h>

#include "graph/execute/program.hpp"
#include "graph/passes/differentiate.hpp"
#include "graph/passes/passes.hpp"
#include "graph/solve/routine.hpp"

namespace credo::graph::routine_test {
namespace {

// (x, y) -> x y, x^2, and a report: the number of runs so far.
class Products final : public Routine {
 public:
  explicit Products(double error = 0.0) : error_(error) {}
  std::string_view name() const override { return "products"; }
  Index num_arguments() const override { return 2; }
  Index num_results() const override { return 2; }
  Index num_reports() const override { return 1; }
  void run(const RoutineCall& c) const override {
    ++runs;
    for (Index l = 0; l < c.lanes; ++l) {
      const double x = c.arguments[l], y = c.arguments[c.lanes + l];
      c.values[l] = x * y, c.values[c.lanes + l] = x * x, c.values[2 * c.lanes + l] = runs;
      if (c.jacobian == nullptr) continue;
      const std::array partials{y + error_, x, 2 * x, 0.0};
      for (Index k = 0; k < 4; ++k)
        c.jacobian[k * c.lanes + l] = partials[static_cast<std::size_t>(k)];
    }
  }
  bool pulls_back() const override { return false; }
  void pull_back(const PullbackCall&) const override {}
  mutable int runs = 0;

 private:
  double error_;
};

// exp(x y) + 3 x^2 of two inputs, and its gradient.
Traced traced(std::shared_ptr<const Routine> routine) {
  Traced t;
  t.graph = std::make_unique<Graph>();
  t.input = t.graph->add_input(vector_shape(2));
  const Expr values = apply(std::move(routine), Expr(*t.graph, {t.input, -1}), true);
  const Expr f = exp(values.element(0)) + 3.0 * values.element(1);
  t.outputs = {f, gradient(*t.graph, f, std::array{t.input})[0]};
  return t;
}

double largest_error(std::shared_ptr<const Routine> routine, const char* passes) {
  const Traced t = Passes(passes).run(traced(std::move(routine)));
  const Program program(*t.graph, t.input, t.outputs);
  double worst = 0.0;
  for (const Index lanes : {1, 2, 4, 8}) {
    Workspace w(program, lanes);
    w.set_lanes(lanes);
    for (Index l = 0; l < lanes; ++l) w.set_input(l, std::array{0.5 + double(l), -0.3});
    w.run();
    for (Index l = 0; l < lanes; ++l) {
      const double x = 0.5 + double(l), y = -0.3, e = std::exp(x * y);
      const std::array expected{e + 3 * x * x, e * y + 6 * x, e * x};
      worst = std::max(worst, std::abs(w.output(0, 0, l) - expected[0]));
      worst = std::max(worst, std::abs(w.output(1, 0, l) - expected[1]));
      worst = std::max(worst, std::abs(w.output(1, 1, l) - expected[2]));
    }
  }
  return worst;
}

TEST(routine, gives_values_and_derivatives_in_each_lane) {
  for (const char* passes : {"none", "all"})
    EXPECT_LT(largest_error(std::make_shared<Products>(), passes), 1e-12) << passes;
}

TEST(routine, with_a_wrong_derivative_is_rejected) {
  EXPECT_GT(largest_error(std::make_shared<Products>(1e-6), "all"), 1e-8);
}

TEST(routine, runs_once_for_value_and_gradient) {
  const auto routine = std::make_shared<Products>();
  const Traced t = Passes().run(traced(routine));
  const Program program(*t.graph, t.input, t.outputs);
  Workspace w(program, 1);
  w.set_input(0, std::array{1.0, 2.0});
  const int before = routine->runs;
  w.run();
  EXPECT_EQ(routine->runs, before + 1);
}

TEST(routine, computes_known_arguments_at_once) {
  const Expr values =
      apply(std::make_shared<Products>(), constant(vector_shape(2), std::array{2.0, 3.0}), false);
  ASSERT_TRUE(values.is_constant());
  EXPECT_EQ(values.value(0), 6.0);
  EXPECT_EQ(values.value(1), 4.0);
}

TEST(routine, has_no_second_derivative) {
  Traced t = traced(std::make_shared<Products>());
  const Expr slope = t.outputs[1].element(0);
  EXPECT_THROW(gradient(*t.graph, slope, std::array{t.input}), NotDifferentiable);
}

TEST(routine, without_derivatives_is_not_differentiated) {
  Graph graph;
  const NodeId input = graph.add_input(vector_shape(2));
  const Expr values = apply(std::make_shared<Products>(), Expr(graph, {input, -1}), false);
  EXPECT_THROW(gradient(graph, values.element(0), std::array{input}), NotDifferentiable);
}

}  // namespace
}  // namespace credo::graph::routine_test
