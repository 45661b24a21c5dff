// Expressions, differentiation and programs on formulas with known derivatives.
#include "graph/execute/program.hpp"
#include "graph/passes/differentiate.hpp"
#include "graph/passes/passes.hpp"

namespace credo::graph::expr_test {
namespace {

// A graph with one vector of inputs.
struct Setting {
  explicit Setting(Index n)
      : graph(std::make_unique<Graph>()), input(graph->add_input(vector_shape(n))) {}
  Expr x(Index i) const { return Expr(*graph, {input, -1}).element(i); }
  Expr all() const { return {*graph, {input, -1}}; }
  std::unique_ptr<Graph> graph;
  NodeId input;
};

std::vector<double> run(const Graph& graph, NodeId input, std::vector<Expr> outputs,
                        std::vector<double> at) {
  const Program program(graph, input, outputs);
  Workspace workspace(program, 1);
  workspace.set_input(0, at);
  workspace.run();
  std::vector<double> values;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    for (Index e = 0; e < program.output_size(k); ++e) values.push_back(workspace.output(k, e, 0));
  }
  return values;
}

TEST(expr, constants_are_computed_and_make_no_node) {
  const Expr value = exp(Expr(0.0)) + sum(constant(vector_shape(3), std::array{1.0, 2.0, 3.0}));
  ASSERT_TRUE(value.is_constant());
  EXPECT_EQ(value.value(), 7.0);
}

TEST(expr, element_of_a_node_makes_no_node) {
  Setting s(3);
  const Index before = s.graph->num_nodes();
  s.x(2);
  EXPECT_EQ(s.graph->num_nodes(), before);
}

TEST(gradient, of_a_product_is_the_other_factor) {
  Setting s(2);
  const Expr f = s.x(0) * s.x(1);
  const Expr g = gradient(*s.graph, f, std::array{s.input})[0];
  EXPECT_EQ(run(*s.graph, s.input, {f, g}, {3.0, 5.0}), (std::vector<double>{15.0, 5.0, 3.0}));
}

TEST(gradient, adds_up_over_uses_and_undoes_broadcasting) {
  Setting s(3);
  const Expr f = sum(s.all() * s.x(0)) + s.x(0);  // x0 (x0 + x1 + x2) + x0
  const Expr g = gradient(*s.graph, f, std::array{s.input})[0];
  EXPECT_EQ(run(*s.graph, s.input, {g}, {2.0, 3.0, 4.0}),
            (std::vector<double>{2 * 2.0 + 3 + 4 + 1, 2.0, 2.0}));
}

TEST(gradient, of_something_else_is_zero) {
  Setting s(2);
  const Expr f = square(s.x(0));
  const Expr g = gradient(*s.graph, f, std::array{s.input})[0];
  EXPECT_EQ(run(*s.graph, s.input, {g}, {2.0, 9.0}), (std::vector<double>{4.0, 0.0}));
}

TEST(gradient, applies_again) {  // f = x^3 y: third derivative by x, x, y is 6 x
  Setting s(2);
  const Expr f = square(s.x(0)) * s.x(0) * s.x(1);
  const auto d = [&](const Expr& e) { return gradient(*s.graph, e, std::array{s.input})[0]; };
  const Expr third = d(d(d(f).element(0)).element(0)).element(1);
  EXPECT_EQ(run(*s.graph, s.input, {third}, {2.0, 7.0}), (std::vector<double>{12.0}));
}

TEST(gradient, of_cholesky_and_solve_matches_the_closed_form) {
  // f(a) = log det A + b' A^-1 b with A = [[a0, a1], [a1, a2]] through its factor
  Setting s(3);
  const Expr a = pack(matrix_shape(2, 2), std::array{s.x(0), s.x(1), s.x(1), s.x(2)});
  const Expr l = cholesky(a);
  const Expr z = solve_lower(l, constant(vector_shape(2), std::array{1.0, 2.0}));
  const Expr f = 2.0 * (log(l.element(0)) + log(l.element(3))) + dot(z, z);
  const Expr g = gradient(*s.graph, f, std::array{s.input})[0];
  const std::vector<double> at{4.0, 1.0, 3.0};
  const double det = 11.0;
  // A^-1 b = (3 - 2, -1 + 8) / 11;  d/dA = A^-1 - A^-1 b b' A^-1
  const double u = 1.0 / det, v = 7.0 / det;
  const std::vector<double> expected{3.0 / det - u * u, 2.0 * (-1.0 / det - u * v),
                                     4.0 / det - v * v};
  const std::vector<double> found = run(*s.graph, s.input, {g}, at);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(found[i], expected[i], 1e-15);
}

TEST(gradient, of_log_sum_exp_of_minus_infinities_is_zero) {
  Setting s(1);
  const Expr x = pack(vector_shape(2), std::array{s.x(0) + (-kInfinity), Expr(-kInfinity)});
  const Expr f = log_sum_exp(x);
  const Expr g = gradient(*s.graph, f, std::array{s.input})[0];
  EXPECT_EQ(run(*s.graph, s.input, {f, g}, {0.5}), (std::vector<double>{-kInfinity, 0.0}));
}

TEST(passes, keep_the_values) {
  Setting s(4);
  const Expr f = sum(exp(s.all()) * s.all()) + log(s.x(1)) * log(s.x(1));
  Traced traced{std::move(s.graph), s.input, {}};
  traced.outputs = {f, gradient(*traced.graph, f, std::array{traced.input})[0]};
  const std::vector<double> at{0.1, 0.7, -0.3, 1.2};
  const auto plain = run(*traced.graph, traced.input, traced.outputs, at);
  const Index before = traced.graph->num_nodes();
  const Traced after = Passes("all").run(std::move(traced));
  EXPECT_LT(after.graph->num_nodes(), before);
  EXPECT_EQ(verify(*after.graph), "");
  EXPECT_EQ(run(*after.graph, after.input, after.outputs, at), plain);
}

TEST(passes, are_chosen_by_name_and_taken_away_by_a_minus) {
  const auto count = [](const Passes& passes) {
    const auto table = pass_table();
    return std::count_if(table.begin(), table.end(),
                         [&](const Pass* pass) { return passes.has(pass->name); });
  };
  EXPECT_EQ(count(Passes("none")), 0);
  EXPECT_EQ(count(Passes("cse,dead-code")), 2);
  EXPECT_EQ(count(Passes("")), ssize(pass_table()));
  for (const char* text : {"all,-reroll", "-reroll"}) {
    EXPECT_FALSE(Passes(text).has("reroll")) << text;
    EXPECT_EQ(count(Passes(text)), ssize(pass_table()) - 1) << text;
  }
}

TEST(checks, name_the_first_failure_of_a_lane) {
  Setting s(1);
  EXPECT_FALSE(check_greater(s.x(0), 0.0, 7));
  EXPECT_FALSE(check_less(s.x(0), -5.0, 8));
  const Program program(*s.graph, s.input, std::array<Expr, 0>{});
  Workspace workspace(program, 2);
  workspace.set_lanes(2);
  workspace.set_input(0, std::array{-1.0});
  workspace.set_input(1, std::array{-6.0});
  workspace.run();
  EXPECT_EQ(workspace.status(0).check, 7);
  EXPECT_EQ(workspace.status(0).value, -1.0);
  EXPECT_EQ(workspace.status(1).check, 7);
}

TEST(checks, of_constants_are_judged_at_once) {
  EXPECT_EQ(check_greater(Expr(-1.0), 0.0, 1), -1.0);
  EXPECT_EQ(check_finite(Expr(2.0), 1), std::nullopt);
}

TEST(sum, does_not_depend_on_the_number_of_lanes) {
  constexpr Index n = 2500;  // more than two blocks, with a tail
  Setting s(n);
  const Expr f = sum(s.all()), g = dot(s.all(), s.all()), h = log_sum_exp(s.all());
  const Program program(*s.graph, s.input, std::array{f, g, h});
  std::vector<double> at(n);
  for (Index i = 0; i < n; ++i)
    at[static_cast<std::size_t>(i)] = std::sin(double(i)) * std::pow(10.0, i % 5);
  std::array<double, 3> expected{};
  for (const Index lanes : {1, 2, 4, 8}) {
    Workspace workspace(program, lanes);
    workspace.set_lanes(lanes);
    for (Index l = 0; l < lanes; ++l) workspace.set_input(l, at);
    workspace.run();
    for (std::size_t k = 0; k < 3; ++k) {
      if (lanes == 1) expected[k] = workspace.output(k, 0, 0);
      for (Index l = 0; l < lanes; ++l) EXPECT_EQ(workspace.output(k, 0, l), expected[k]);
    }
  }
}

}  // namespace
}  // namespace credo::graph::expr_test
