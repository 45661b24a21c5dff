// Weighted sums of linear predictors: the sums of the data take the place of the elements, keep
// their digits, and stay away where they don't pay or aren't finite.
// A planted mutant, sums without compensation, is rejected here.
#include "graph/simplify_support.hpp"

namespace credo::graph::simplify_linear_test {
namespace {

constexpr Index kRows = 700, kCols = 5, kGroups = 12;

Expr predictor(const Expr& x) {
  return x.element(30) + matmul(design(kRows, kCols), head(x, kCols));
}
// Two designs and a term a group.
Expr rich_predictor(const Expr& x) {
  const Expr groups = gather(vector_shape(kRows), head(x, kGroups), repeating(kRows, kGroups));
  return groups + matmul(design(kRows, kCols), head(x, kCols)) -
         matmul(design(kRows, 3), head(x, 3) * x.element(31));
}
Expr counts() {  // 0, 1, 2, 3
  std::vector<double> values;
  for (const std::int32_t i : repeating(kRows, 4)) values.push_back(i);
  return constant(vector_shape(kRows), values);
}
Formula logistic(Formula eta) {
  return [eta](const Expr& x) { return -sum(log1p_exp(signs(kRows) * eta(x))); };
}
Formula poisson(Formula eta) {
  return [eta](const Expr& x) {
    const Expr y = counts();
    const Expr certain = equal(y, 0.0) * equal(eta(x), -kInfinity);
    return sum(y * select(certain, 0.0, eta(x)) - exp(eta(x)));
  };
}
Index long_rows(const Traced& traced, std::string_view row) {
  Index count = 0;
  for (NodeId id = 0; id < traced.graph->num_nodes(); ++id) {
    const Node& node = traced.graph->node(id);
    Index size = node.shape.size();
    for (const Ref& ref : traced.graph->operands(node))
      size = std::max(size, traced.graph->shape_of(ref).size());
    count += node.op->name == row && size == kRows ? 1 : 0;
  }
  return count;
}

TEST(column_sums, take_the_place_of_outcomes_times_predictors) {
  for (const Formula& f : {logistic(predictor), poisson(predictor)}) {
    const Traced plain = traced(f), better = optimised(f, "all");
    EXPECT_EQ(long_rows(better, "mul"), 0) << dump(better);
    EXPECT_EQ(long_rows(better, "dot"), 0) << dump(better);
    EXPECT_EQ(long_rows(better, "select"), 0) << dump(better);
    for (int k = 0; k < 5; ++k)
      expect_same(run(better, point(k, 1.0)), run(plain, point(k, 1.0)), "regression");
  }
}

TEST(column_sums, take_predictors_of_several_designs_and_groups) {
  for (const Formula& f : {logistic(rich_predictor), poisson(rich_predictor)}) {
    const Traced plain = traced(f), better = optimised(f, "all");
    EXPECT_EQ(long_rows(better, "dot"), 0) << dump(better);
    for (int k = 0; k < 5; ++k)
      expect_same(run(better, point(k, 0.5)), run(plain, point(k, 0.5)), "several");
  }
}

// With w = 1 the exact sum of the second column is kRows - 2, which plain sums lose.
TEST(column_sums, of_data_that_cancel_keep_their_digits) {
  std::vector<double> values(2 * kRows, 1.0);
  values[kRows] = 1e17, values[2 * kRows - 1] = -1e17;
  const Expr matrix = constant(matrix_shape(kRows, 2), values);
  const Formula whole = [&](const Expr& x) { return sum(matmul(matrix, head(x, 2))); };
  const Formula weighted = [&](const Expr& x) {
    return dot(2.0 * data(kRows, 0.0, 1.0), matmul(matrix, head(x, 2)));
  };
  std::vector<double> at(kInputs, 0.0);
  at[1] = 1.0;
  EXPECT_EQ(run(optimised(whole, "simplify"), at)[0], kRows - 2.0);
  EXPECT_EQ(run(optimised(weighted, "simplify"), at)[0], 2.0 * (kRows - 2.0));
}

TEST(column_sums, that_overflow_are_left) {
  const Expr matrix = data(kRows * 2, 0.0, 1e307).reshaped(matrix_shape(kRows, 2));
  const Formula f = [&](const Expr& x) { return sum(matmul(matrix, head(x, 2))); };
  std::vector<double> at(kInputs, 1e-290);
  const Traced better = optimised(f, "simplify");
  EXPECT_EQ(long_rows(better, "sum"), 1) << dump(better);
  EXPECT_NEAR(run(better, at)[0], 2e17 * kRows, 1e5 * kRows);
}

// Signs that aren't, few rows for their columns, and predictors that are no sums of few numbers.
TEST(column_sums, leave_what_does_not_pay) {
  const Formula scaled = [](const Expr& x) { return sum(log1p_exp(data(kRows) * predictor(x))); };
  const Formula few = [](const Expr& x) {
    return sum(log1p_exp(signs(30) * matmul(design(30, 25), head(x, 25))));
  };
  const Formula curved = [](const Expr& x) {
    return sum(log1p_exp(signs(kRows) * exp(predictor(x))));
  };
  for (const Formula& f : {scaled, few, curved}) {
    const Traced plain = traced(f), better = optimised(f, "simplify");
    EXPECT_EQ(count_rows(simplify(traced(f, false)), "dot"), 0) << dump(better);
    expect_same(run(better, point(2, 0.4)), run(plain, point(2, 0.4)), "left");
  }
}

// The logarithm of a rate may be -infinity where there is no event.
TEST(column_sums, keep_outcomes_of_no_rate) {
  const Formula f = [](const Expr& x) {
    const Expr eta = gather(vector_shape(kRows), log(head(x, 4)), repeating(kRows, 4));
    const Expr y = counts();
    return sum(y * select(equal(y, 0.0) * equal(eta, -kInfinity), 0.0, eta) - exp(eta));
  };
  std::vector<double> at(kInputs, 1.5);
  at[0] = 0.0;  // counts of group 0 are 0
  const double value = run(optimised(f, "all"), at)[0];
  EXPECT_TRUE(std::isfinite(value));
  EXPECT_NEAR(value, run(traced(f), at)[0], 1e-12 * std::abs(value));
}

}  // namespace
}  // namespace credo::graph::simplify_linear_test
