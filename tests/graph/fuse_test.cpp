// Fused programs against the direct sweep: equal bits, whatever the sizes, lanes and SIMD target.
#include "graph/execute/program.hpp"
#include "graph/passes/differentiate.hpp"
#include "numerics/arithmetic.hpp"
#include "support/alloc_count.hpp"
#include "support/random_graph.hpp"
#include "support/share.hpp"

CREDO_COUNT_ALLOCATIONS

namespace credo::graph::fuse_test {
namespace {
using testing::expect_equal;
using testing::numbers;
using testing::RandomGraph;
using testing::Regression;
using testing::results;

void expect_fused_is_direct(const Graph& graph, NodeId input, std::span<const Expr> outputs,
                            const std::string& what) {
  const Program direct(graph, input, outputs, {.fuse = false});
  const Program fused(graph, input, outputs);
  for (const Index lanes : {1, 2, 4, 8}) {
    const std::string where = what + ", " + std::to_string(lanes) + " lanes\n";
    expect_equal(results(direct, outputs.size(), lanes), results(fused, outputs.size(), lanes),
                 where);
  }
}

LONG_TEST(fused_programs, equal_the_direct_sweep_on_random_graphs) {
  for (const Index size : {0, 1, 2, 7, 8, 9, 33, 64, 65, 511, 512, 513, 1023, 1024, 1025}) {
    for (std::uint64_t seed = 0; seed < (size < 100 ? 20 : 6); ++seed) {
      const RandomGraph g(1000 * seed + static_cast<std::uint64_t>(size), size);
      const std::string what = "size " + std::to_string(size) + ", seed " + std::to_string(seed);
      expect_fused_is_direct(g.graph, g.input, g.outputs, what);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(fused_programs, equal_the_direct_sweep_on_every_simd_target) {
  const auto before = numerics::active_target();
  for (const auto target : numerics::supported_targets()) {
    numerics::force_target(target);
    for (const Index size : {1, 3, 9, 65, 513, 1030}) {
      const RandomGraph g(static_cast<std::uint64_t>(size), size);
      expect_fused_is_direct(g.graph, g.input, g.outputs,
                             std::string(numerics::target_name(target)));
    }
  }
  numerics::force_target(before);
}

TEST(fused_programs, allocate_nothing_when_run) {
  const RandomGraph g(7, 700);
  const Program program(g.graph, g.input, g.outputs);
  Workspace workspace(program, 8);
  const std::vector<double> point = numbers(program.input_size(), 0.2);
  std::vector<double> slope(point.size());
  const auto evaluate = [&](Index lanes) {
    workspace.set_lanes(lanes);
    for (Index l = 0; l < lanes; ++l) workspace.set_input(l, point);
    workspace.run();
    workspace.copy_output(4, 0, slope);
  };
  evaluate(8), evaluate(1);
  const testing::AllocationCount count;
  for (int k = 0; k < 3; ++k) evaluate(8), evaluate(1);
  EXPECT_EQ(count.value(), 0);
}

// A scalar in two packs, an element of a packed node used elsewhere, packs of inputs and of
// constants, an output inside a pack.
TEST(fused_programs, compute_packed_scalars_in_place_and_once) {
  Graph graph;
  const NodeId input = graph.add_input(vector_shape(5));
  const Expr x(graph, {input, -1});
  const Expr a = exp(x.element(0)), b = a * x.element(1), c = log1p_exp(b);
  const Shape four = vector_shape(4);
  const Expr first = pack(four, std::array{a, b, Expr(2.0), c});
  const Expr second = pack(four, std::array{c, a, a, x.element(3)});
  const Expr inputs = pack(vector_shape(3), std::array{x.element(2), x.element(3), x.element(4)});
  const Expr mixed = first.element(3) * second + first;
  const std::array outputs{first, second, inputs, mixed, b, dot(mixed, second)};
  expect_fused_is_direct(graph, input, outputs, "packs");
  const Program program(graph, input, outputs);
  EXPECT_LE(program.num_instructions(), 10) << program.dump();
}

// Checks report the first broken one of the program, also where groups move values around.
TEST(fused_programs, report_the_first_failed_check) {
  Graph graph;
  const NodeId input = graph.add_input(vector_shape(200));
  const Expr x(graph, {input, -1});
  const Expr total = sum(exp(x));
  check_less(total, 1.0, 1);           // fails everywhere
  check_greater(square(x), -1.0, 2);   // holds
  check_greater(x * total, 1e300, 3);  // fails everywhere
  const std::array outputs{total};
  expect_fused_is_direct(graph, input, outputs, "checks");
}

// Few elements have a function of their own, also where the sum has an end: nothing there, all
// -infinity, an infinity, NaN.
TEST(fused_programs, add_few_exponentials_as_the_row_does) {
  for (const Index size : {0, 1, 2, 3, 5, 8, 9}) {
    Graph graph;
    const NodeId input = graph.add_input(vector_shape(size));
    const Expr x(graph, {input, -1});
    const std::array outputs{log_sum_exp(x * 1.0),
                             log_sum_exp(log(x - 2.0)),
                             log_sum_exp(log(less(0.3, x))),
                             log_sum_exp(1.0 / less(0.3, x)),
                             log_sum_exp(-1.0 / less(0.3, x)),
                             log_sum_exp(900.0 * x)};
    expect_fused_is_direct(graph, input, outputs, "size " + std::to_string(size));
  }
}

// The chain of an elementwise log likelihood and its derivative is one group that reads data where
// they lie and stores the gradient only.
TEST(fused_programs, run_a_likelihood_and_its_adjoint_in_one_group) {
  constexpr Index kRows = 5000;
  Graph graph;
  const NodeId input = graph.add_input(vector_shape(kRows));
  const Expr x(graph, {input, -1}), y = constant(vector_shape(kRows), numbers(kRows, 0.1));
  const Expr total = sum(y * x - log1p_exp(x));
  const Expr slope = gradient(graph, total, std::array{input})[0];
  const std::array outputs{total, slope};
  const Program program(graph, input, outputs);
  const std::string text = program.dump();
  const auto first = text.find("fused over");
  EXPECT_NE(first, std::string::npos) << text;
  EXPECT_EQ(text.find("fused over", first + 1), std::string::npos) << text;
  EXPECT_NE(text.find("data0"), std::string::npos) << text;
  expect_fused_is_direct(graph, input, outputs, "likelihood");
}

LONG_TEST(fused_programs, multiply_by_a_constant_matrix_as_the_direct_sweep_does) {
  for (const Index cols : {1, 2, 3, 5, 7, 8, 9, 20, 33, 64, 65}) {
    for (const Index rows : {1, 65, 125, 128, 206, 511, 512, 513, 1023, 1024, 1025, 2049, 2500}) {
      const Regression g(rows, cols);
      expect_fused_is_direct(g.graph, g.input, g.outputs,
                             std::to_string(rows) + " x " + std::to_string(cols));
      if (HasFatalFailure()) return;
    }
  }
  const Regression tall(5000, 1);
  expect_fused_is_direct(tall.graph, tall.input, tall.outputs, "one column");
}

TEST(fused_programs, multiply_by_a_constant_matrix_on_every_simd_target) {
  const auto before = numerics::active_target();
  for (const auto target : numerics::supported_targets()) {
    numerics::force_target(target);
    for (const auto& [rows, cols] :
         std::vector<std::pair<Index, Index>>{{130, 33}, {1027, 9}, {2500, 20}}) {
      const Regression g(rows, cols);
      expect_fused_is_direct(g.graph, g.input, g.outputs,
                             std::string(numerics::target_name(target)));
    }
  }
  numerics::force_target(before);
}

// A logistic regression and its gradient are one group, so the matrix is read from memory once.
TEST(fused_programs, run_a_regression_and_its_gradient_in_one_group) {
  constexpr Index kRows = 2000, kCols = 20;
  Graph graph;
  const NodeId input = graph.add_input(vector_shape(kCols));
  const Expr x(graph, {input, -1}), y = constant(vector_shape(kRows), numbers(kRows, 0.1));
  const Expr a = constant(matrix_shape(kRows, kCols), numbers(kRows * kCols, 0.4));
  const Expr eta = matmul(a, x).reshaped(vector_shape(kRows));
  const Expr total = sum(y * eta - log1p_exp(eta));
  const std::array outputs{total, gradient(graph, total, std::array{input})[0]};
  const Program program(graph, input, outputs);
  const std::string text = program.dump();
  const auto first = text.find("fused over 2000");
  EXPECT_NE(first, std::string::npos) << text;
  EXPECT_EQ(text.find("fused over", first + 1), std::string::npos) << text;
  EXPECT_NE(text.find("block0 = matmul data0"), std::string::npos) << text;
  expect_fused_is_direct(graph, input, outputs, "regression");
}

}  // namespace
}  // namespace credo::graph::fuse_test
