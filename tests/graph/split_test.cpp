// One evaluation on several threads: the bits of one thread and of the direct sweep.
//
// Tried with planted mutants, each rejected here: sums of parts put down in the order in which the
// parts are done, the last part left out of the joining, parts cut in the middle of a block of
// sums, a team whose members share one set of blocks.
#include "graph/execute/inspect.hpp"
#include "graph/execute/program.hpp"
#include "graph/passes/differentiate.hpp"
#include "numerics/arithmetic.hpp"
#include "support/alloc_count.hpp"
#include "support/random_graph.hpp"
#include "support/share.hpp"

namespace credo::graph::split_test {
namespace {
using testing::expect_equal;
using testing::numbers;
using testing::RandomGraph;
using testing::Regression;
using testing::results;

constexpr std::array kTeams{2, 3, 4};  // also more members than the machine has processors
constexpr int kRepetitions = 3;        // who takes which part differs

struct Case {
  Case(const Graph& graph_in, NodeId input_in, std::span<const Expr> outputs_in,
       std::string what_in)
      : graph(graph_in), input(input_in), outputs(outputs_in), what(std::move(what_in)) {}
  const Graph& graph;
  NodeId input;
  std::span<const Expr> outputs;
  std::string what;
};

bool splits(const Program& program, Index lanes) {
  Workspace workspace(program, lanes);
  workspace.set_lanes(lanes);
  return workspace.splits();
}

// Returns for how many numbers of lanes there was something to split.
int expect_equal_for_all_teams(const Case& c) {
  const Program direct(c.graph, c.input, c.outputs, {.fuse = false});
  const Program fused(c.graph, c.input, c.outputs);
  int num_split = 0;
  for (const Index lanes : {1, 2, 4, 8}) {
    const auto expected = results(direct, c.outputs.size(), lanes);
    expect_equal(expected, results(fused, c.outputs.size(), lanes), c.what);
    if (!splits(fused, lanes)) continue;
    ++num_split;
    for (const Index members : kTeams) {
      Team team(members, Team::Attendance::everybody);
      const std::string where =
          c.what + ", " + std::to_string(lanes) + " lanes, " + std::to_string(members) + " threads";
      for (int k = 0; k < kRepetitions; ++k)
        expect_equal(expected, results(fused, c.outputs.size(), lanes, &team), where);
    }
  }
  return num_split;
}

LONG_TEST(split_programs, equal_the_direct_sweep_on_random_graphs) {
  int num_split = 0, num_cases = 0;
  for (const Index size : {1025, 2048, 2049, 4500}) {
    for (std::uint64_t seed = 0; seed < 2; ++seed, ++num_cases) {
      const RandomGraph g(1000 * seed + static_cast<std::uint64_t>(size), size);
      const std::string what = "size " + std::to_string(size) + ", seed " + std::to_string(seed);
      num_split += expect_equal_for_all_teams({g.graph, g.input, g.outputs, what});
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(num_split, num_cases);  // of four numbers of lanes each
}

LONG_TEST(split_programs, equal_the_direct_sweep_on_regressions) {
  for (const auto& [rows, cols] : std::vector<std::pair<Index, Index>>{
           {1025, 64}, {2500, 20}, {5000, 3}, {5003, 33}, {12000, 9}, {9001, 20}}) {
    const Regression g(rows, cols);
    const std::string what = std::to_string(rows) + " x " + std::to_string(cols);
    EXPECT_GT(expect_equal_for_all_teams({g.graph, g.input, g.outputs, what}), 0) << what;
    if (HasFatalFailure()) return;
  }
}

// Effects of groups: gathers, and adjoints that are added up group by group in chunks.
class Effects {
 public:
  Effects(Index rows, Index groups, Index others) {
    input = graph.add_input(vector_shape(groups + others));
    const Expr x(graph, {input, -1});
    const Expr a = gather(vector_shape(rows), x, index(rows, 7919, 0, groups));
    const Expr b = gather(vector_shape(rows), x, index(rows, 104729, groups, others));
    const Expr eta = a * constant(vector_shape(rows), numbers(rows, 0.2)) + exp(b);
    const Expr y = constant(vector_shape(rows), numbers(rows, 1.3));
    const Expr total = sum(y * eta - log1p_exp(eta)) + dot(tanh(a), b);
    outputs = {total, gradient(graph, total, std::array{input})[0]};
  }
  Graph graph;
  NodeId input;
  std::vector<Expr> outputs;

 private:
  static std::vector<std::int32_t> index(Index size, Index step, Index first, Index count) {
    std::vector<std::int32_t> all;
    for (Index i = 0; i < size; ++i)
      all.push_back(static_cast<std::int32_t>(first + i * step % 65537 % count));
    return all;
  }
};

TEST(split_programs, add_up_gathered_effects_as_the_direct_sweep_does) {
  struct Sizes {
    Index rows, groups, others;
    bool splits;
  };
  for (const Sizes& s :
       {Sizes{2048, 3, 2, false}, Sizes{2049, 3, 2, true}, Sizes{6000, 85, 1, true},
        Sizes{12573, 386, 386, true}, Sizes{40000, 1000, 8, true}, Sizes{5000, 4000, 2, false}}) {
    const Effects g(s.rows, s.groups, s.others);
    const std::string what = std::to_string(s.rows) + " of " + std::to_string(s.groups);
    EXPECT_EQ(expect_equal_for_all_teams({g.graph, g.input, g.outputs, what}) > 0, s.splits)
        << what;
    if (HasFatalFailure()) return;
  }
}

TEST(split_programs, equal_the_direct_sweep_on_every_simd_target) {
  const auto before = numerics::active_target();
  for (const auto target : numerics::supported_targets()) {
    numerics::force_target(target);
    const Regression g(3000, 9);
    const Effects e(9000, 40, 3);
    const std::string what(numerics::target_name(target));
    expect_equal_for_all_teams({g.graph, g.input, g.outputs, what});
    expect_equal_for_all_teams({e.graph, e.input, e.outputs, what});
  }
  numerics::force_target(before);
}

// Large and small groups, one lane and several, with and without a team in turn.
TEST(split_programs, can_change_lanes_and_team_between_runs) {
  const Effects g(20000, 50, 4);
  const Program program(g.graph, g.input, g.outputs);
  Workspace workspace(program, 8);
  Team two(2, Team::Attendance::everybody), four(4, Team::Attendance::everybody);
  const auto expected = results(program, g.outputs.size(), 1);
  for (const Index lanes : {8, 1, 4, 8}) {
    for (Team* team : {&four, static_cast<Team*>(nullptr), &two}) {
      workspace.set_lanes(lanes);
      workspace.use_team(team);
      for (Index l = 0; l < lanes; ++l)
        workspace.set_input(l, numbers(program.input_size(), 0.3 * double(l)));
      workspace.run();
      EXPECT_EQ(std::bit_cast<std::uint64_t>(workspace.output(0, 0, 0)), expected.bits[0]);
    }
  }
}

TEST(split_programs, allocate_nothing_when_run) {
  const Regression g(5000, 20);
  const Program program(g.graph, g.input, g.outputs);
  Workspace workspace(program, 4);
  Team team(3, Team::Attendance::everybody);
  workspace.use_team(&team);
  const auto evaluate = [&](Index lanes) {
    workspace.set_lanes(lanes);
    ASSERT_TRUE(workspace.splits());
    workspace.run();
  };
  evaluate(4), evaluate(1);
  const testing::AllocationCount count;
  for (int k = 0; k < 3; ++k) evaluate(4), evaluate(1);
  EXPECT_EQ(count.value(), 0);
}

TEST(split_programs, leave_small_groups_on_one_thread) {
  const Regression small(100, 4), large(20000, 4);
  const auto parts = [](const Regression& g) {
    const Program program(g.graph, g.input, g.outputs);
    Index most = 0;
    for (const FusedGroup& group : Inspector(program).summary(1).groups)
      most = std::max(most, group.parts);
    return most;
  };
  EXPECT_LE(parts(small), 1);
  EXPECT_EQ(parts(large), 20);  // of 1024 rows
}

}  // namespace
}  // namespace credo::graph::split_test
