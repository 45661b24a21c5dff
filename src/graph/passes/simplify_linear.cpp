// Weighted sums of vectors that are linear in few numbers with known coefficients: the coefficients are
// summed once.
//
//   w' (s + A v) = (w' 1) s + (A' w)' v        sum log1p_exp(-x) = sum log1p_exp(x) - sum x
//
// The second takes the signs (1 - 2 y) of a logistic regression to the first. Column sums are
// compensated, so the only error is the rounding of the products of the data.
#include <unordered_set>

#include "base/error.hpp"
#include "graph/core/ops.hpp"
#include "graph/passes/simplify_compensated.hpp"
#include "graph/passes/simplify_rules.hpp"

namespace credo::graph {
namespace {

// A x for a known tall matrix A and a vector of unknowns.
struct TallDesign {
  Expr matrix, vector;
  std::size_t rows = 0, cols = 0;
  bool transposed = false;  // transposed in memory
  bool found() const { return rows > 0; }
  double at(std::span<const double> values, std::size_t i, std::size_t j) const {
    return values[transposed ? i * cols + j : i + j * rows];
  }
};

TallDesign tall_design(const Expr& x) {
  if (!is_row(x, rows().matmul)) return {};
  const auto& sizes = attributes_of(x).ints;
  const Expr matrix = part_of(x, 0);
  if (!matrix.is_constant() || sizes[2] != 1 || sizes[1] >= sizes[0]) return {};
  return {matrix, part_of(x, 1), static_cast<std::size_t>(sizes[0]),
          static_cast<std::size_t>(sizes[1]), sizes[3] != 0};
}

// The numbers that are left of x in a sum with known weights: its elements where it isn't linear.
double numbers_left(const Expr& x) {
  if (x.is_constant()) return 0.0;
  if (x.is_scalar() || is_row(x, rows().broadcast)) return 1.0;
  if (is_row(x, rows().gather)) return std::min(count_of(x), count_of(part_of(x, 0)));
  if (is_row(x, rows().neg)) return numbers_left(part_of(x, 0));
  const bool product = is_row(x, rows().mul);
  if (product || is_row(x, rows().add) || is_row(x, rows().sub)) {
    const Expr a = part_of(x, 0), b = part_of(x, 1);
    const bool weighted = a.is_constant() || b.is_constant() || a.is_scalar() || b.is_scalar();
    if (product && !weighted) return count_of(x);
    return std::min(count_of(x), numbers_left(a) + numbers_left(b));
  }
  const TallDesign design = tall_design(x);
  return design.found() ? static_cast<double>(design.cols) : count_of(x);
}

// w' A, in the order of the rows; w of one element is meant for all.
std::vector<double> weighted_columns(const TallDesign& design, const Expr& weights) {
  const auto values = design.matrix.values(), w = weights.values();
  std::vector<double> totals;
  for (std::size_t j = 0; j < design.cols; ++j) {
    std::array<CompensatedSum, 4> parts;  // side by side: each waits for itself
    for (std::size_t i = 0; i < design.rows; ++i)
      parts[i % parts.size()].add(w[w.size() == 1 ? 0 : i] * design.at(values, i, j));
    CompensatedSum total;
    for (const CompensatedSum& part : parts) total.add(part.sum), total.error += part.error;
    totals.push_back(total.total());
  }
  return totals;
}

// w' A v; nothing where the sums of the data aren't finite.
Expr by_columns(const Candidate& c, const Expr& weights, const Expr& x) {
  const TallDesign design = tall_design(x);
  if (!design.found()) return {};
  const std::vector<double> totals = weighted_columns(design, weights);
  const Expr known = c.build.interned(constant(vector_shape(ssize(totals)), totals));
  if (!all_finite(known)) return {};
  if (design.vector.is_scalar()) return c.build.mul(totals[0], design.vector);
  return c.build.dot(known, design.vector.reshaped(vector_shape(ssize(totals))));
}

Expr sum_product(const Candidate& c) { return by_columns(c, 1.0, c.a()); }
Expr dot_product(const Candidate& c) {
  for (std::size_t k = 0; k < 2; ++k) {
    if (!c.in[k].is_constant()) continue;
    return by_columns(c, c.in[k], c.in[1 - k]);
  }
  return {};
}

// w' x, where x may be one number for all elements.
Expr weighted(const Candidate& c, const Expr& w, const Expr& x) {
  return x.is_scalar() ? c.build.mul(c.build.sum(w), x) : c.build.dot(w, x);
}
Expr dot_linear(const Candidate& c) {
  for (std::size_t k = 0; k < 2; ++k) {
    const Expr &w = c.in[k], &x = c.in[1 - k];
    const bool sum = is_row(x, rows().add), difference = is_row(x, rows().sub);
    if (!w.is_constant() || w.is_scalar() || (!sum && !difference)) continue;
    const Expr a = part_of(x, 0), b = part_of(x, 1);
    if (std::min(numbers_left(a), numbers_left(b)) >= count_of(x)) return {};
    const Expr left = weighted(c, w, a), right = weighted(c, w, b);
    return sum ? c.build.add(left, right) : c.build.sub(left, right);
  }
  return {};
}

// Signs of +-1: two products an element go, against a few operations a number.
Expr sum_log1p_exp(const Candidate& c) {
  if (!is_row(c.a(), rows().log1p_exp)) return {};
  const Expr product = part_of(c.a(), 0);
  if (!is_row(product, rows().mul)) return {};
  for (std::size_t k = 0; k < 2; ++k) {
    const Expr signs = part_of(product, k), x = part_of(product, 1 - k);
    if (!signs.is_constant() || signs.is_scalar() || x.is_scalar()) continue;
    constexpr double kOverhead = 16.0;
    if (4.0 * numbers_left(x) + kOverhead > 2.0 * count_of(x)) return {};
    std::vector<double> negative;
    for (const double sign : signs.values()) {
      if (std::abs(sign) != 1.0) return {};
      negative.push_back(sign < 0.0 ? 1.0 : 0.0);
    }
    const Expr weights = c.build.interned(constant(x.shape(), negative));
    return c.build.sub(c.build.sum(c.build.map(*rows().log1p_exp, {x})), c.build.dot(weights, x));
  }
  return {};
}

// Sums and products of finite numbers; overflow doesn't count. `left` bounds the search.
bool is_finite(Graph& graph, Ref ref, int& left) {
  if (graph.is_constant(ref.node)) return all_finite(Expr(graph, ref));
  const Node& node = graph.node(ref.node);
  if (node.op == &ops::input) return true;
  static const std::unordered_set<const Op*> kFinite{
      rows().add,    rows().sub,  rows().neg,    rows().mul,       rows().square,   rows().matmul,
      rows().gather, rows().pack, rows().concat, rows().broadcast, rows().inv_logit};
  if (!kFinite.contains(node.op)) return false;
  const auto refs = graph.operands(node);
  return std::all_of(refs.begin(), refs.end(), [&](const Ref& operand) {
    return --left > 0 && is_finite(graph, operand, left);
  });
}
// Asked by densities that take log(0) as a number.
Expr equal_infinity(const Candidate& c) {
  for (std::size_t k = 0; k < 2; ++k) {
    const Expr &bound = c.in[k], &x = c.in[1 - k];
    if (!is_value(bound, kInfinity) && !is_value(bound, -kInfinity)) continue;
    constexpr int kFewNodes = 64;
    int left = kFewNodes;
    if (!x.is_constant() && is_finite(*x.graph(), x.ref(), left)) return fill(c.shape, 0.0);
  }
  return {};
}

constexpr std::array kLinearRules{
    SimplifyRule{"sum", "sum-product", "1' A v = (A' 1)' v", sum_product},
    SimplifyRule{"sum", "sum-log1p-exp", "sum log1p_exp(-x) = sum log1p_exp(x) - sum x",
                 sum_log1p_exp},
    SimplifyRule{"dot", "dot-product", "c' A v = (A' c)' v", dot_product},
    SimplifyRule{"dot", "dot-linear", "c' (x + y) = c' x + c' y where that is shorter", dot_linear},
    SimplifyRule{"equal", "equal-infinity", "x = inf for no sum or product of parameters",
                 equal_infinity},
};
}  // namespace

std::span<const SimplifyRule> linear_rules() { return kLinearRules; }

}  // namespace credo::graph
