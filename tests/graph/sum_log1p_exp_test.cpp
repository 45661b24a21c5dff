// The sum of log1p_exp with few logarithms: as exact as its elements whatever they are, the same
// bits everywhere, and only where nothing is differentiated.
#include "graph/core/ops.hpp"
#include "graph/simplify_support.hpp"
#include "numerics/arithmetic.hpp"
#include "support/random_graph.hpp"

namespace credo::graph::sum_log1p_exp_test {
namespace {
using testing::expect_equal;
using testing::Results;
using testing::results;
using Real = long double;

// Sums of positive numbers: two roundings for each of the 128 elements of a partial sum, a few for
// exp, log1p and the tree, and one a block of sums. What is below the normal numbers counts as 0.
Real allowance(std::span<const double> x, Real exact) {
  const Real roundings = 2.0L * 128 + 8 + static_cast<Real>(x.size()) / 1024;
  return roundings * 0x1p-53L * exact + static_cast<Real>(x.size()) * 3.4e-308L;
}
Real sum_of_elements(std::span<const double> x) {
  Real total = 0;
  for (const double value : x) {
    const Real a = value;
    total += std::max(a, Real(0)) + std::log1p(std::exp(-std::abs(a)));
  }
  return total;
}
bool agrees(std::span<const double> x, double found) {
  const Real exact = sum_of_elements(x);
  return std::abs(static_cast<Real>(found) - exact) <= allowance(x, exact);
}
Expr summed(const Expr& x) { return apply(ops::sum_log1p_exp, {x}); }
double computed(const std::vector<double>& x) {
  return summed(constant(vector_shape(ssize(x)), x)).value();
}

// Around `centre`, and up to `width` from it.
std::vector<double> spread(Index size, double centre, double width) {
  std::vector<double> x;
  for (Index i = 0; i < size; ++i) x.push_back(centre + width * std::sin(1.7 * double(i) + 0.4));
  return x;
}

TEST(sum_log1p_exp, is_the_sum_of_its_elements) {
  for (const Index size : {0, 1, 2, 7, 8, 9, 63, 64, 65, 511, 1023, 1024, 1025, 5000}) {
    for (const double centre : {0.0, 1e-20, -1e-20, 2.5, -2.5, 36.0, -36.0, 1e3, -1e3}) {
      for (const double width : {0.0, 1e-20, 1.0, 30.0, 900.0}) {
        const std::vector<double> x = spread(size, centre, width);
        EXPECT_TRUE(agrees(x, computed(x))) << size << " about " << centre << ", " << width;
      }
    }
  }
}

// Outcomes that are all but certain: the whole sum is far below one rounding of 1. A planted
// mutant, the logarithm of the product itself, loses it.
TEST(sum_log1p_exp, keeps_its_digits_where_outcomes_are_certain) {
  for (const double centre : {-20.0, -40.0, -300.0, -690.0}) {
    const std::vector<double> x = spread(3000, centre, 5.0);
    EXPECT_TRUE(agrees(x, computed(x))) << centre;
    double product = 1.0;
    for (const double value : x) product *= 1.0 + std::exp(value);
    EXPECT_FALSE(agrees(x, std::log(product))) << centre;
  }
}

TEST(sum_log1p_exp, has_the_limits_of_its_elements) {
  for (const Index size : {1, 70, 1500}) {
    for (const Index place : {Index{0}, size / 2, size - 1}) {
      const auto with = [&](double value) {
        std::vector<double> x = spread(size, 0.0, 2.0);
        x[static_cast<std::size_t>(place)] = value;
        return computed(x);
      };
      EXPECT_EQ(with(kInfinity), kInfinity);
      EXPECT_EQ(with(-kInfinity), with(-1e300));
      EXPECT_TRUE(std::isnan(with(kNaN)));
      EXPECT_TRUE(std::isfinite(with(1e300)));
    }
  }
  EXPECT_EQ(computed(std::vector<double>(2000, -kInfinity)), 0.0);
}

// x of several scales, as an operand in a block, in a place of its own and as data.
struct Sums {
  explicit Sums(Index size) {
    input = graph.add_input(vector_shape(size));
    const Expr x(graph, {input, -1}), y = constant(vector_shape(size), spread(size, 0.0, 60.0));
    outputs = {summed(x), summed(300.0 * x), summed(y * x), summed(y * x - 45.0), y * x};
  }
  Graph graph;
  NodeId input;
  std::vector<Expr> outputs;
};

TEST(sum_log1p_exp, has_equal_bits_in_all_lanes_fused_and_direct) {
  const auto before = numerics::active_target();
  for (const Index size : {1, 8, 64, 65, 129, 511, 513, 1024, 1025, 3001}) {
    const Sums sums(size);
    Results with_fma;
    for (const auto target : numerics::supported_targets()) {
      numerics::force_target(target);
      const Program direct(sums.graph, sums.input, sums.outputs, {.fuse = false});
      const Program fused(sums.graph, sums.input, sums.outputs);
      const Results reference = results(direct, sums.outputs.size(), 1);
      for (const Index lanes : {1, 2, 4, 8}) {
        const std::string where = std::to_string(size) + " elements, " + std::to_string(lanes);
        expect_equal(results(direct, sums.outputs.size(), lanes), reference, where);
        expect_equal(results(fused, sums.outputs.size(), lanes), reference, where);
      }
      if (target == numerics::SimdTarget::sse4) continue;
      if (!with_fma.bits.empty()) expect_equal(with_fma, reference, "SIMD targets");
      with_fma = reference;
    }
  }
  numerics::force_target(before);
}

// Other steps of the group don't fall into its partial sums, of which it has twice as many.
TEST(sum_log1p_exp, shares_a_group_with_other_sums) {
  Graph graph;
  const NodeId input = graph.add_input(vector_shape(2100));
  const Expr x(graph, {input, -1});
  std::vector<Expr> outputs;
  for (int k = 0; k < 100; ++k) {
    outputs.push_back(k % 3 == 1 ? sum(square(x)) : summed(x + 0.1 * k));
    outputs.push_back(dot(x, x - 0.3 * k));
  }
  const Program direct(graph, input, outputs, {.fuse = false}), fused(graph, input, outputs);
  for (const Index lanes : {1, 8})
    expect_equal(results(fused, outputs.size(), lanes), results(direct, outputs.size(), lanes), "");
}

Expr elements(const Expr& x) {
  return log1p_exp(matmul(design(700, 5), head(x, 5)).reshaped(vector_shape(700)));
}

TEST(logarithms, are_few_where_nothing_is_differentiated) {
  const Formula f = [](const Expr& x) { return 3.0 - sum(elements(x)); };
  const Passes passes("all");
  const Traced plain = traced(f, false), before = passes.run(traced(f, false));
  const Traced after = passes.run_last(passes.run(traced(f, false)));
  EXPECT_EQ(count_rows(before, "sum_log1p_exp"), 0);
  EXPECT_EQ(count_rows(optimised(f, "all"), "sum_log1p_exp"), 0);
  EXPECT_EQ(count_rows(after, "sum_log1p_exp"), 1) << dump(after);
  EXPECT_EQ(count_rows(after, "log1p_exp"), 0) << dump(after);
  for (int k = 0; k < 5; ++k)
    expect_same(run(after, point(k, 2.0)), run(plain, point(k, 2.0)), "few logarithms");
}

TEST(logarithms, stay_where_their_elements_are_read) {
  const Formula twice = [](const Expr& x) { return sum(elements(x)) - max_element(elements(x)); };
  const Passes passes("all");
  const Traced after = passes.run_last(passes.run(traced(twice, false)));
  EXPECT_EQ(count_rows(after, "sum_log1p_exp"), 0) << dump(after);
  Traced output = traced([](const Expr& x) { return sum(elements(x)); }, false);
  const Ref total = output.outputs[0].ref();
  output.outputs.emplace_back(*output.graph,
                              output.graph->operands(output.graph->node(total.node))[0]);
  EXPECT_EQ(count_rows(passes.run_last(std::move(output)), "sum_log1p_exp"), 0);
}

TEST(logarithms, of_few_elements_stay) {
  const Passes passes("all");
  for (const Index size : {31, 32}) {
    const Formula f = [&](const Expr& x) { return sum(log1p_exp(head(x, size))); };
    EXPECT_EQ(count_rows(passes.run_last(traced(f, false)), "sum_log1p_exp"), size == 32) << size;
  }
}

TEST(logarithms, are_left_by_a_minus) {
  const Passes passes("all,-logarithms");
  const Traced after =
      passes.run_last(passes.run(traced([](const Expr& x) { return sum(elements(x)); }, false)));
  EXPECT_EQ(count_rows(after, "sum_log1p_exp"), 0);
}

}  // namespace
}  // namespace credo::graph::sum_log1p_exp_test
