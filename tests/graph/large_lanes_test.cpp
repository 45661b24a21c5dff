// Values and gradients over more elements than a block, for every number of lanes and FMA target:
// equal bits.
#include "graph/execute/program.hpp"
#include "graph/passes/differentiate.hpp"
#include "numerics/arithmetic.hpp"

namespace credo::graph::large_lanes_test {
namespace {

constexpr Index kRows = 1301, kCols = 7;  // several blocks of 512 and one of 1024, with tails

std::vector<double> numbers(Index count, double phase) {
  std::vector<double> values(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i)
    values[static_cast<std::size_t>(i)] = std::sin(0.7 * double(i) + phase);
  return values;
}

// Elementwise chains, repeated scalars, sums, products with data from both sides, gathers, and the
// gradient of it all.
struct Setting {
  Setting() : input(graph.add_input(vector_shape(kRows))) {
    const Expr x(graph, {input, -1});
    const Expr data = constant(vector_shape(kRows), numbers(kRows, 0.3));
    const Expr design = constant(matrix_shape(kRows, kCols), numbers(kRows * kCols, 1.1));
    const Expr coefficients = matmul(design, x, true, false);  // kCols x 1
    const Expr fitted = matmul(design, 0.01 * coefficients);   // kRows x 1
    std::vector<std::int32_t> index;
    for (Index i = 0; i < kRows; ++i) index.push_back(static_cast<std::int32_t>(i * i % kRows));
    const Expr gathered = gather(vector_shape(kRows), x, std::move(index));
    const Expr terms = exp(0.1 * x) * data - x.element(5) * gathered + log1p_exp(fitted);
    total = sum(terms) + dot(terms, data) + log_sum_exp(terms);
    slope = gradient(graph, total, std::array{input})[0];
  }
  Graph graph;
  NodeId input;
  Expr total, slope;
};

std::vector<double> results(const Setting& s, Index lanes) {
  const Program program(s.graph, s.input, std::array{s.total, s.slope});
  Workspace workspace(program, lanes);
  std::vector<double> all;
  for (Index first = 0; first < 8; first += lanes) {
    workspace.set_lanes(lanes);
    for (Index l = 0; l < lanes; ++l) workspace.set_input(l, numbers(kRows, double(first + l)));
    workspace.run();
    for (Index l = 0; l < lanes; ++l) {
      all.push_back(workspace.output(0, 0, l));
      for (Index i = 0; i < kRows; ++i) all.push_back(workspace.output(1, i, l));
    }
  }
  return all;
}

TEST(large_programs, give_equal_bits_for_every_number_of_lanes) {
  const Setting s;
  const std::vector<double> one = results(s, 1);
  for (const Index lanes : {2, 4, 8}) EXPECT_EQ(results(s, lanes), one) << lanes << " lanes";
}

TEST(large_programs, give_equal_bits_on_avx2_and_avx512) {
  const auto& targets = numerics::supported_targets();
  if (targets.back() != numerics::SimdTarget::avx512) GTEST_SKIP() << "THIS CPU LACKS AVX-512";
  const numerics::SimdTarget before = numerics::active_target();
  std::vector<std::vector<double>> found;
  for (const auto target : {numerics::SimdTarget::avx2, numerics::SimdTarget::avx512}) {
    numerics::force_target(target);
    found.push_back(results(Setting(), 8));
  }
  numerics::force_target(before);
  EXPECT_EQ(found[0], found[1]);
}

// The same sums by plain loops in long double: a thousand additions of numbers of size 1 err by at
// most 1e-12.
TEST(large_programs, sum_what_plain_loops_sum) {
  Graph graph;
  const NodeId input = graph.add_input(vector_shape(kRows));
  const Expr x(graph, {input, -1});
  const std::vector<double> a = numbers(kRows * kCols, 1.1), at = numbers(kRows, 2.0);
  const Expr product = matmul(constant(matrix_shape(kRows, kCols), a), x, true, false);
  const Program program(graph, input, std::array{sum(x), dot(x, x), product});
  Workspace workspace(program, 1);
  workspace.set_input(0, at);
  workspace.run();
  long double total = 0, square = 0;
  for (const double v : at) total += v, square += static_cast<long double>(v) * v;
  EXPECT_NEAR(workspace.output(0, 0, 0), static_cast<double>(total), 1e-12);
  EXPECT_NEAR(workspace.output(1, 0, 0), static_cast<double>(square), 1e-12);
  for (Index j = 0; j < kCols; ++j) {
    long double column = 0;
    for (Index i = 0; i < kRows; ++i) {
      column += static_cast<long double>(a[static_cast<std::size_t>(i + j * kRows)]) *
                at[static_cast<std::size_t>(i)];
    }
    EXPECT_NEAR(workspace.output(2, j, 0), static_cast<double>(column), 1e-12);
  }
}

}  // namespace
}  // namespace credo::graph::large_lanes_test
