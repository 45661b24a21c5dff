// Plans that read what nothing has written, or write twice, are refused.
#include <gtest/gtest.h>

#include "graph/execute/plan.hpp"
#include "support/random_graph.hpp"

namespace credo::testing::plan_verify_test {
namespace {

// What a view of repeated values once was: the sum read its place before it was written.
TEST(plans, write_repeated_values_before_slices_of_them_are_read) {
  Graph graph;
  const NodeId input = graph.add_input(vector_shape(1));
  const Expr y = Expr(graph, {input, -1}).element(0);
  for (const Index size : {6, 9, 400}) {
    const Expr all = broadcast(vector_shape(size), tanh(y));
    std::vector<Expr> some;
    for (Index i = 1; i < size - 1; ++i) some.push_back(all.element(i));
    const Expr slice = pack(vector_shape(size - 2), some);
    const std::array outputs{sum(slice), slice};
    const Program program(graph, input, outputs);
    Workspace workspace(program, 1);
    for (const double x : {0.3, -1.1}) {  // of the first run nothing is left
      workspace.set_input(0, std::array{x});
      workspace.run();
      EXPECT_EQ(workspace.output(1, size - 3, 0), std::tanh(x));
      EXPECT_NEAR(workspace.output(0, 0, 0), double(size - 2) * std::tanh(x), 1e-12);
    }
  }
}

// Of random graphs, each with one of its steps moved to the front.
TEST(plans, are_refused_where_a_step_comes_before_what_it_reads) {
  int refused = 0, moved = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    RandomGraph random(seed, 5);
    const Plan plan = make_plan(random.graph, random.input, random.outputs);
    ASSERT_EQ(verify(plan), "");
    Plan wrong = plan;
    const std::size_t last = wrong.steps.size() - 1;
    std::rotate(wrong.steps.begin(), wrong.steps.begin() + static_cast<std::ptrdiff_t>(last),
                wrong.steps.end());
    ++moved;
    if (!verify(wrong).empty()) ++refused;
  }
  EXPECT_EQ(refused, moved);
}

TEST(plans, are_refused_where_an_element_is_written_twice) {
  RandomGraph random(3, 5);
  Plan plan = make_plan(random.graph, random.input, random.outputs);
  ASSERT_GT(plan.groups.size(), 1u);
  std::vector<Step*> rows;
  for (Step& step : plan.steps) {
    if (step.form == Form::row && step.out != kNoPlace && step.size == 1) rows.push_back(&step);
  }
  ASSERT_GT(rows.size(), 1u);
  rows.back()->out = rows.front()->out;
  EXPECT_NE(verify(plan).find("again"), std::string::npos) << verify(plan);
}

}  // namespace
}  // namespace credo::testing::plan_verify_test
