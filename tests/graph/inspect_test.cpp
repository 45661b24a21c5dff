// Looking at a program doesn't change it, and finds the expensive row.
#include "graph/execute/inspect.hpp"

#include "base/error.hpp"

namespace credo::graph::inspect_test {
namespace {

// Statement 1: cheap work on a scalar; statement 2: lgamma on a long vector.
struct TwoStatements {
  Graph graph;
  NodeId input = kNoNode;
  std::vector<Expr> outputs;
  TwoStatements() {
    input = graph.add_input(vector_shape(4096));
    const Expr x(graph, {input, -1}), first(graph, {input, 0});
    graph.statement = 1;
    const Expr cheap = first * first;
    graph.statement = 2;
    outputs.push_back(cheap + sum(lgamma(x)));
  }
};

std::vector<double> point() {
  std::vector<double> values(4096);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1.5 + 0.001 * double(i);
  return values;
}

TEST(inspect, profile_finds_the_statement_and_row_that_take_the_time) {
  const TwoStatements traced;
  const Program program(traced.graph, traced.input, traced.outputs);
  Workspace workspace(program, 1);
  workspace.set_input(0, point());
  const auto shares = Inspector(program).profile(workspace, 0.3);
  ASSERT_FALSE(shares.empty());
  double sum = 0.0;
  for (const ProfileShare& share : shares) sum += share.share;
  EXPECT_NEAR(sum, 1.0, 1e-9);
  // 4096 lgammas cost thousands of times one product; with hundreds of notes 0.8 is far below.
  EXPECT_EQ(shares[0].statement, 2);
  EXPECT_EQ(shares[0].row, "lgamma");
  EXPECT_GT(shares[0].share, 0.8);
}

TEST(inspect, profile_leaves_the_results_as_they_were) {
  const TwoStatements traced;
  const Program program(traced.graph, traced.input, traced.outputs);
  Workspace workspace(program, 2);
  workspace.set_lanes(2);
  for (const Index lane : {0, 1}) workspace.set_input(lane, point());
  workspace.run();
  const double before = workspace.output(0, 0, 1);
  Inspector(program).profile(workspace, 0.02);
  EXPECT_EQ(workspace.output(0, 0, 1), before);
}

TEST(inspect, summary_lists_the_rows_of_a_fused_group) {
  const TwoStatements traced;
  const Program program(traced.graph, traced.input, traced.outputs);
  const ProgramSummary summary = Inspector(program).summary(1);
  ASSERT_EQ(summary.groups.size(), 1u);
  EXPECT_EQ(summary.groups[0].elements, 4096);
  EXPECT_EQ(summary.groups[0].rows, (std::vector<std::string_view>{"lgamma", "sum"}));
  EXPECT_GE(summary.workspace_bytes, 8.0 * 4096);
}

TEST(inspect, a_direct_sweep_is_refused) {
  const TwoStatements traced;
  const Program program(traced.graph, traced.input, traced.outputs, {.fuse = false});
  EXPECT_THROW(Inspector{program}, Error);
}

}  // namespace
}  // namespace credo::graph::inspect_test
