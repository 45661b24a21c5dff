// Reroll: what it joins, what it must not join, and that values, gradients and the order of checks
// stay.
#include "graph/passes/reroll.hpp"

#include <gtest/gtest.h>

#include "graph/core/op.hpp"
#include "graph/execute/program.hpp"
#include "graph/passes/differentiate.hpp"

namespace credo::graph::reroll_test {
namespace {

struct Setting {
  explicit Setting(Index n) : traced{std::make_unique<Graph>(), kNoNode, {}} {
    traced.input = traced.graph->add_input(vector_shape(n));
  }
  Expr x(Index i) const { return Expr(*traced.graph, {traced.input, -1}).element(i); }
  Graph& graph() { return *traced.graph; }
  Traced traced;
};

std::vector<double> run(const Traced& traced, Index n, Index lanes = 1) {
  const Program program(*traced.graph, traced.input, traced.outputs);
  Workspace workspace(program, lanes);
  workspace.set_lanes(lanes);
  std::vector<double> at(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < at.size(); ++i) at[i] = 0.6 + 0.3 * std::sin(1.7 * double(i));
  for (Index l = 0; l < lanes; ++l) workspace.set_input(l, at);
  workspace.run();
  std::vector<double> all;
  for (std::size_t k = 0; k < traced.outputs.size(); ++k) {
    for (Index e = 0; e < program.output_size(k); ++e)
      all.push_back(workspace.output(k, e, lanes - 1));
  }
  return all;
}

Index count(const Traced& traced, std::string_view op, bool scalar) {
  Index found = 0;
  for (NodeId id = 0; id < traced.graph->num_nodes(); ++id) {
    const Node& node = traced.graph->node(id);
    found += node.op->name == op && node.shape.is_scalar() == scalar;
  }
  return found;
}

// Before and after with the gradient of the first output; sums may be reordered, so values agree
// to the rounding of some hundred additions of numbers of order one.
Traced expect_unchanged(Setting& s, Index n) {
  const auto with_gradient = [](Traced t) {
    t.outputs.push_back(gradient(*t.graph, t.outputs[0], std::array{t.input})[0]);
    return t;
  };
  Traced rerolled = reroll(s.traced);
  EXPECT_EQ(verify(*rerolled.graph), "");
  const auto after = run(with_gradient(reroll(with_gradient(std::move(rerolled)))), n);
  rerolled = reroll(s.traced);
  const auto before = run(with_gradient(std::move(s.traced)), n);
  for (std::size_t i = 0; i < before.size(); ++i)
    EXPECT_NEAR(after[i], before[i], 1e-13 * (1.0 + std::abs(before[i]))) << i;
  return rerolled;
}

constexpr Index kSteps = 20;

TEST(reroll, joins_the_iterations_of_a_loop) {
  Setting s(kSteps + 1);
  std::vector<Expr> terms;
  for (Index i = 0; i < kSteps; ++i) terms.push_back(exp(s.x(i) * (1.0 + double(i))) - s.x(kSteps));
  s.traced.outputs = {sum(pack(vector_shape(kSteps), terms))};
  const Traced after = expect_unchanged(s, kSteps + 1);
  EXPECT_EQ(count(after, "exp", false), 1);
  EXPECT_EQ(count(after, "exp", true), 0);
  EXPECT_EQ(count(after, "sub", false), 1);
}

TEST(reroll, leaves_a_recurrence_and_joins_what_hangs_on_it) {
  Setting s(2);
  std::vector<Expr> terms;
  Expr state = s.x(0);
  for (Index i = 0; i < kSteps; ++i) {
    state = sqrt(1.0 + s.x(1) * square(state));
    terms.push_back(exp(-state) * double(i));
  }
  s.traced.outputs = {sum(pack(vector_shape(kSteps), terms))};
  const Traced after = expect_unchanged(s, 2);
  EXPECT_EQ(count(after, "sqrt", true), kSteps);
  EXPECT_EQ(count(after, "exp", false), 1);
  EXPECT_EQ(count(after, "exp", true), 0);
}

TEST(reroll, joins_recurrences_side_by_side_step_by_step) {
  constexpr Index kChains = 10;
  Setting s(kChains);
  std::vector<Expr> state;
  for (Index c = 0; c < kChains; ++c) state.push_back(s.x(c));
  for (Index c = 0; c < kChains; ++c) {
    for (Index i = 0; i < kSteps; ++i)
      state[static_cast<std::size_t>(c)] = sqrt(1.5 + square(state[static_cast<std::size_t>(c)]));
  }
  s.traced.outputs = {sum(pack(vector_shape(kChains), state))};
  const Traced after = expect_unchanged(s, kChains);
  EXPECT_EQ(count(after, "sqrt", false), kSteps);
  EXPECT_EQ(count(after, "sqrt", true), 0);
}

TEST(reroll, makes_a_matrix_of_rows_of_data) {
  Setting s(5);
  const Expr beta(s.graph(), {s.traced.input, -1});
  std::vector<Expr> terms;
  for (Index i = 0; i < kSteps; ++i) {
    std::vector<double> row;
    for (Index j = 0; j < 5; ++j) row.push_back(std::cos(double(i * 5 + j)));
    terms.push_back(exp(dot(constant(vector_shape(5), row), beta)));
  }
  s.traced.outputs = {sum(pack(vector_shape(kSteps), terms))};
  const Traced after = expect_unchanged(s, 5);
  EXPECT_EQ(count(after, "matmul", false), 1);
  EXPECT_EQ(count(after, "dot", true), 0);
}

TEST(reroll, keeps_products_with_different_vectors_apart) {
  Setting s(kSteps);
  std::vector<Expr> terms;
  const std::array row{0.3, -1.2};
  for (Index i = 0; i + 1 < kSteps; ++i) {
    const Expr pair = pack(vector_shape(2), std::array{s.x(i), s.x(i + 1)});
    terms.push_back(exp(dot(constant(vector_shape(2), row), tanh(pair))));
  }
  s.traced.outputs = {sum(pack(vector_shape(kSteps - 1), terms))};
  expect_unchanged(s, kSteps);
}

TEST(reroll, keeps_operands_in_the_order_of_the_iterations) {
  Setting s(kSteps);
  std::vector<Expr> values;
  for (Index i = 0; i < kSteps; ++i) values.push_back(exp(s.x((7 * i + 3) % kSteps)));
  s.traced.outputs = {sum(pack(vector_shape(kSteps), values)), pack(vector_shape(kSteps), values)};
  expect_unchanged(s, kSteps);
}

// The second check is joined with others and runs early; it stands later in the program.
TEST(reroll, lets_the_first_failed_check_of_the_program_decide) {
  for (const bool pass : {false, true}) {
    Setting s(kSteps);
    Expr state = s.x(0);
    for (Index i = 0; i < kSteps; ++i) {
      state = sqrt(square(state) + 1.0);
      check_less(state, 2.0, 1);               // fails at the fourth step
      check_less(exp(s.x(i)) * 0.0, -1.0, 2);  // fails at once, but stands behind
    }
    s.traced.outputs = {state};
    const Traced traced = pass ? reroll(s.traced) : std::move(s.traced);
    const Program program(*traced.graph, traced.input, traced.outputs);
    Workspace workspace(program, 1);
    workspace.set_input(0, std::vector<double>(kSteps, 1.9));
    workspace.run();
    EXPECT_EQ(workspace.status(0).check, 1) << pass;
    EXPECT_EQ(workspace.status(0).value, std::sqrt(1.9 * 1.9 + 1.0)) << pass;
  }
}

// Checks of pairs become checks of scalars, which are joined; element and place stay.
TEST(reroll, lets_the_first_failed_element_of_the_program_decide) {
  constexpr Index kMany = 1000;
  for (const bool pass : {false, true}) {
    Setting s(kMany);
    for (Index i = 0; i < kMany; ++i) {
      const Expr x = s.x(i), y = x - double(i);
      check_greater(pack(vector_shape(2), std::array{exp(x), y}), -2.0, 1);  // its fourth y fails
      check_greater(pack(vector_shape(2), std::array{y, -y}), -2.5, 2);      // does for the fifth
    }
    s.traced.outputs = {s.x(0)};
    const Traced traced = pass ? reroll(s.traced) : std::move(s.traced);
    EXPECT_EQ(count(traced, "check_greater", false), pass ? 4 : 2 * kMany);
    const Program program(*traced.graph, traced.input, traced.outputs);
    Workspace workspace(program, 1);
    workspace.set_input(0, std::vector<double>(kMany, 0.75));
    workspace.run();
    EXPECT_EQ(workspace.status(0).check, 1) << pass;
    EXPECT_EQ(workspace.status(0).value, -2.25) << pass;
  }
}

TEST(reroll, gives_equal_bits_in_any_number_of_lanes) {
  Setting s(kSteps);
  std::vector<Expr> terms;
  Expr state = s.x(0);
  for (Index i = 0; i < kSteps; ++i) {
    state = log_sum_exp(state, s.x(i)) * 0.9;
    terms.push_back(square(state - double(i)));
  }
  const Expr f = sum(pack(vector_shape(kSteps), terms));
  s.traced.outputs = {f, gradient(s.graph(), f, std::array{s.traced.input})[0]};
  const Traced after = reroll(s.traced);
  const auto one = run(after, kSteps, 1);
  for (const Index lanes : {2, 4, 8}) EXPECT_EQ(run(after, kSteps, lanes), one);
}

// As an array of simplexes has it: each sum of few elements near 1, each element at least 0.
TEST(reroll, joins_sums_and_checks_of_few_scalars) {
  constexpr Index kStates = 4, kMany = 1000;
  Setting s(kStates * kMany);
  std::vector<Expr> terms;
  for (Index i = 0; i < kMany; ++i) {
    std::vector<Expr> states;
    for (Index k = 0; k < kStates; ++k) states.push_back(exp(s.x(kStates * i + k)));
    const Expr state = pack(vector_shape(kStates), states);
    check_greater(state, 1.0, 7);
    terms.push_back(log(sum(state)));
  }
  s.traced.outputs = {sum(pack(vector_shape(kMany), terms))};
  const Traced after = expect_unchanged(s, kStates * kMany);
  EXPECT_EQ(count(after, "sum", true), 1);
  EXPECT_EQ(count(after, "add", false), kStates - 1);
  EXPECT_EQ(count(after, "check_greater", false), 1);
}

// Each taken part used to have an adjoint as long as the whole.
TEST(gradient, of_a_container_taken_in_many_parts_grows_with_the_container) {
  const auto elements = [](Index parts) {
    constexpr Index kPart = 10;
    Traced t{std::make_unique<Graph>(), kNoNode, {}};
    t.input = t.graph->add_input(vector_shape(parts * kPart));
    const Expr y = exp(Expr(*t.graph, {t.input, -1}));
    std::vector<Expr> terms;
    for (Index g = 0; g < parts; ++g) {
      std::vector<std::int32_t> index(kPart);
      std::iota(index.begin(), index.end(), static_cast<std::int32_t>(g * kPart));
      terms.push_back(log(sum(tanh(gather(vector_shape(kPart), y, index)))));
    }
    const Expr total = sum(pack(vector_shape(parts), terms));
    t.outputs = {total, gradient(*t.graph, total, std::array{t.input})[0]};
    Index size = 0;
    for (NodeId id = 0; id < t.graph->num_nodes(); ++id) size += t.graph->node(id).shape.size();
    return size;
  };
  EXPECT_LE(elements(400), 2 * elements(200) + 100);
}

}  // namespace
}  // namespace credo::graph::reroll_test
