// What tests of simplification share: formulas of kInputs numbers, with and without passes.
#pragma once
#include <gtest/gtest.h>

#include "graph/core/ops.hpp"
#include "graph/execute/program.hpp"
#include "graph/passes/differentiate.hpp"
#include "graph/passes/simplify.hpp"

namespace credo::graph {

inline constexpr Index kInputs = 40;

using Formula = std::function<Expr(const Expr& x)>;

inline Expr data(Index n, double scale = 1.0, double shift = 0.3) {
  std::vector<double> values;
  for (Index i = 0; i < n; ++i)
    values.push_back(scale * std::sin(1.7 * static_cast<double>(i) + 0.5) + shift);
  return constant(vector_shape(n), values);
}
// Whole numbers below `levels`, again and again.
inline std::vector<std::int32_t> repeating(Index n, int levels) {
  std::vector<std::int32_t> index;
  for (Index i = 0; i < n; ++i)
    index.push_back(static_cast<std::int32_t>((i * 7 + i / 3) % levels));
  return index;
}
inline Expr levels(Index n, int count) {
  std::vector<double> values;
  for (const std::int32_t i : repeating(n, count)) values.push_back(0.5 + i);
  return constant(vector_shape(n), values);
}
inline Expr design(Index rows, Index cols) {
  return data(rows * cols).reshaped(matrix_shape(rows, cols));
}
inline Expr signs(Index n) {  // +1 and -1
  std::vector<double> values;
  for (const std::int32_t i : repeating(n, 5)) values.push_back(i < 2 ? 1.0 : -1.0);
  return constant(vector_shape(n), values);
}
inline Expr head(const Expr& x, Index n) {
  std::vector<std::int32_t> index(static_cast<std::size_t>(n));
  std::iota(index.begin(), index.end(), 0);
  return gather(vector_shape(n), x, index);
}

// A formula of kInputs numbers with its gradient.
inline Traced traced(const Formula& formula, bool with_gradient = true) {
  Traced result{.graph = std::make_unique<Graph>(), .input = kNoNode, .outputs = {}};
  result.input = result.graph->add_input(vector_shape(kInputs));
  const Expr f = formula(Expr(*result.graph, {result.input, -1}));
  result.outputs = {f};
  if (with_gradient)
    result.outputs.push_back(gradient(*result.graph, f, std::array{result.input})[0]);
  return result;
}

// Passes before and after differentiation, as a model runs them.
inline Traced optimised(const Formula& formula, const std::string& names) {
  const Passes passes(names);
  Traced result = passes.run(traced(formula, false));
  result.outputs.push_back(gradient(*result.graph, result.outputs[0], std::array{result.input})[0]);
  return passes.run(std::move(result));
}

inline std::vector<double> run(const Traced& traced, std::span<const double> at) {
  const Program program(*traced.graph, traced.input, traced.outputs);
  Workspace workspace(program, 1);
  workspace.set_input(0, at);
  workspace.run();
  std::vector<double> values;
  for (std::size_t k = 0; k < traced.outputs.size(); ++k) {
    for (Index e = 0; e < program.output_size(k); ++e) values.push_back(workspace.output(k, e, 0));
  }
  return values;
}

inline std::vector<double> point(int k, double magnitude) {
  std::vector<double> at;
  for (Index i = 0; i < kInputs; ++i)
    at.push_back(magnitude * std::sin(0.9 * static_cast<double>(i) + 1.3 * k + 0.2));
  return at;
}

// Rounding of some hundred operations, each of relative error 1e-16, on numbers of the size of the
// largest: 1e-12 of it is far above.
inline void expect_same(const std::vector<double>& a, const std::vector<double>& b,
                        const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  double scale = 0.0;
  for (const double x : b) scale = std::isfinite(x) ? std::max(scale, std::abs(x)) : scale;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    if (std::isnan(b[i])) {
      EXPECT_FALSE(i == 0 && !std::isnan(a[i])) << what << ": a NaN value stays";
      continue;
    }
    EXPECT_NEAR(a[i], b[i], 1e-12 * scale) << what << ": " << i;
  }
}

inline Index count_rows(const Traced& traced, std::string_view row) {
  Index count = 0;
  for (NodeId id = 0; id < traced.graph->num_nodes(); ++id)
    count += traced.graph->node(id).op->name == row ? 1 : 0;
  return count;
}
inline double work(const Traced& traced) {  // elements computed
  double total = 0.0;
  for (NodeId id = 0; id < traced.graph->num_nodes(); ++id) {
    if (traced.graph->node(id).op->kind != OpKind::source)
      total += static_cast<double>(traced.graph->node(id).shape.size());
  }
  return total;
}

}  // namespace credo::graph
