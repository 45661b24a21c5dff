// Rules on sums: factors shared by all elements are taken out.
//
// Assumed: squares of the elements of a sum of squares neither overflow nor underflow where the
// squares of their quotients by a scalar don't.
#include <unordered_set>

#include "base/error.hpp"
#include "graph/passes/simplify_rules.hpp"

namespace credo::graph {
namespace {

// Sum of a row of two operands of which one or both are containers.
Expr total(Builder& build, const Expr& part, Index size) {
  if (part.is_scalar() && size > 1) return build.mul(static_cast<double>(size), part);
  return build.sum(part);
}

// Before all others: what leaves a sum of no elements would stay without it.
Expr sum_nothing(const Candidate& c) { return c.a().size() == 0 ? Expr(0.0) : Expr(); }
Expr dot_nothing(const Candidate& c) {
  return c.a().size() == 0 || c.b().size() == 0 ? Expr(0.0) : Expr();
}

Expr sum_linear(const Candidate& c) {
  const Expr& x = c.a();
  const Index n = x.size();
  if (is_row(x, rows().neg)) return c.build.neg(c.build.sum(part_of(x, 0)));
  if (is_row(x, rows().add))
    return c.build.add(total(c.build, part_of(x, 0), n), total(c.build, part_of(x, 1), n));
  if (is_row(x, rows().sub))
    return c.build.sub(total(c.build, part_of(x, 0), n), total(c.build, part_of(x, 1), n));
  return {};
}
Expr sum_factor(const Candidate& c) {
  const Expr& x = c.a();
  if (is_row(x, rows().mul)) {
    const Expr a = part_of(x, 0), b = part_of(x, 1);
    if (a.is_scalar()) return c.build.mul(a, c.build.sum(b));
    if (b.is_scalar()) return c.build.mul(b, c.build.sum(a));
    return c.build.dot(a, b);
  }
  if (!is_row(x, rows().div) || !part_of(x, 1).is_scalar()) return {};
  return c.build.div(c.build.sum(part_of(x, 0)), part_of(x, 1));
}
// sum (s v)^2 = s^2 sum v^2
Expr sum_of_squares(const Candidate& c) {
  if (!is_row(c.a(), rows().square)) return {};
  const Expr x = part_of(c.a(), 0);
  if (!is_row(x, rows().mul)) return {};
  for (std::size_t k = 0; k < 2; ++k) {
    const Expr s = part_of(x, k), v = part_of(x, 1 - k);
    if (s.is_scalar()) return c.build.mul(c.build.square(s), c.build.sum(c.build.square(v)));
  }
  return {};
}
Expr sum_broadcast(const Candidate& c) {
  if (!is_row(c.a(), rows().broadcast)) return {};
  return c.build.mul(count_of(c.a()), part_of(c.a(), 0));
}

// weights' x for a gather x: the weights summed by source element. Elements that the gather doesn't
// take stay out: they may be infinite.
Expr dot_with_source(const Candidate& c, const Expr& weights, const Expr& x) {
  const Expr source = part_of(x, 0);
  const auto& index = attributes_of(x).ints;
  std::vector<double> total(static_cast<std::size_t>(source.size()), 0.0);
  std::vector<char> taken(total.size(), 0);
  for (std::size_t i = 0; i < index.size(); ++i) {
    const auto place = static_cast<std::size_t>(index[i]);
    total[place] += weights.value(weights.is_scalar() ? 0 : static_cast<Index>(i));
    taken[place] = 1;
  }
  std::vector<double> known;
  std::vector<std::int32_t> elements;
  for (std::size_t i = 0; i < total.size(); ++i) {
    if (!taken[i]) continue;
    known.push_back(total[i]);
    elements.push_back(static_cast<std::int32_t>(i));
  }
  const Shape shape = vector_shape(ssize(known));
  return c.build.dot(c.build.interned(constant(shape, known)),
                     c.build.gather(shape, source, std::move(elements)));
}

Expr sum_gather(const Candidate& c) {
  if (!is_row(c.a(), rows().gather)) return {};
  const auto& index = attributes_of(c.a()).ints;
  const std::unordered_set<std::int32_t> taken(index.begin(), index.end());
  if (taken.size() == index.size()) return {};  // would be the gather again
  return dot_with_source(c, 1.0, c.a());
}
// Elements that are taken twice count once.
Expr extreme_gather(const Candidate& c) {
  if (!is_row(c.a(), rows().gather)) return {};
  std::vector<std::int32_t> index = attributes_of(c.a()).ints;
  const std::size_t before = index.size();
  std::sort(index.begin(), index.end());
  index.erase(std::unique(index.begin(), index.end()), index.end());
  if (index.size() == before) return {};
  const Shape shape = vector_shape(ssize(index));
  const Expr distinct = c.build.gather(shape, part_of(c.a(), 0), std::move(index));
  return c.build.apply(c.op, {distinct}, {}, Shape{});
}

Expr sum_concat(const Candidate& c) {
  if (!is_row(c.a(), rows().concat)) return {};
  const Graph& graph = c.build.graph();
  const auto count = static_cast<std::size_t>(graph.node(c.a().ref().node).num_operands);
  constexpr std::size_t kFew = 8;
  if (count > kFew) return {};
  Expr all = c.build.sum(part_of(c.a(), 0));
  for (std::size_t k = 1; k < count; ++k) all = c.build.add(all, c.build.sum(part_of(c.a(), k)));
  return all;
}

// Numbers and known summands of the elements meet in one; few elements are added one by one.
Expr sum_pack(const Candidate& c) {
  if (!is_row(c.a(), rows().pack)) return {};
  const Graph& graph = c.build.graph();
  const auto count = static_cast<std::size_t>(graph.node(c.a().ref().node).num_operands);
  double known = 0.0;
  bool found = false;
  std::vector<Expr> rest;
  for (std::size_t k = 0; k < count; ++k) {
    Expr x = part_of(c.a(), k);
    if (x.is_constant()) {
      known += x.value(), found = true;
      continue;
    }
    if (is_row(x, rows().add)) {
      const Expr p = part_of(x, 0), q = part_of(x, 1);
      if (p.is_constant() || q.is_constant()) {
        known += (p.is_constant() ? p : q).value(), found = true;
        x = c.build.resolved(p.is_constant() ? q : p);
      }
    }
    rest.push_back(x);
  }
  constexpr std::size_t kMany = 8;
  if (rest.size() >= kMany && !found) return {};
  if (rest.size() >= kMany) {
    const Shape shape = vector_shape(ssize(rest));
    return c.build.add(c.build.sum(c.build.pack(shape, std::move(rest))), known);
  }
  Expr all = rest[0];
  for (std::size_t k = 1; k < rest.size(); ++k) all = c.build.add(all, rest[k]);
  return found ? c.build.add(all, known) : all;
}

Expr dot_scalar(const Candidate& c) {
  for (std::size_t k = 0; k < 2; ++k) {
    const Expr &s = c.in[k], &v = c.in[1 - k];
    if (s.is_scalar()) return c.build.mul(s, c.build.sum(v));
    if (is_row(s, rows().broadcast)) return c.build.mul(part_of(s, 0), c.build.sum(v));
  }
  return {};
}
Expr dot_factor(const Candidate& c) {
  for (std::size_t k = 0; k < 2; ++k) {
    const Expr &x = c.in[k], &y = c.in[1 - k];
    if (is_row(x, rows().neg)) return c.build.neg(c.build.dot(part_of(x, 0), y));
    if (!is_row(x, rows().mul)) continue;
    for (std::size_t j = 0; j < 2; ++j) {
      const Expr s = part_of(x, j), v = part_of(x, 1 - j);
      if (s.is_scalar()) return c.build.mul(s, c.build.dot(v, y));
      if (s.is_constant() && y.is_constant()) return c.build.dot(c.build.mul(s, y), v);
    }
  }
  return {};
}
Expr dot_same(const Candidate& c) {
  return same(c.a(), c.b()) ? c.build.sum(c.build.square(c.a())) : Expr();
}
Expr dot_gather(const Candidate& c) {
  for (std::size_t k = 0; k < 2; ++k) {
    const Expr &weights = c.in[k], &x = c.in[1 - k];
    if (!weights.is_constant() || !is_row(x, rows().gather)) continue;
    const auto& index = attributes_of(x).ints;
    const std::unordered_set<std::int32_t> taken(index.begin(), index.end());
    if (taken.size() < index.size()) return dot_with_source(c, weights, x);
  }
  return {};
}
// A' (s v) = s A' v where that is shorter.
Expr matmul_factor(const Candidate& c) {
  const Expr& x = c.b();
  if (c.shape.size() >= x.size()) return {};
  if (is_row(x, rows().neg)) {
    const Expr positive = c.build.apply(c.op, {c.a(), part_of(x, 0)}, c.attributes, c.shape);
    return c.build.neg(positive);
  }
  if (!is_row(x, rows().mul)) return {};
  for (std::size_t k = 0; k < 2; ++k) {
    const Expr s = part_of(x, k), v = part_of(x, 1 - k);
    if (!s.is_scalar()) continue;
    return c.build.mul(s, c.build.apply(c.op, {c.a(), v}, c.attributes, c.shape));
  }
  return {};
}

constexpr std::array kReductionRules{
    SimplifyRule{"sum", "sum-nothing", "the sum of no elements is 0", sum_nothing},
    SimplifyRule{"dot", "dot-nothing", "the product of no elements is 0", dot_nothing},
    SimplifyRule{"sum", "sum-linear", "sum (x + y) = sum x + sum y, sum (x + s) = sum x + n s",
                 sum_linear},
    SimplifyRule{"sum", "sum-factor", "sum s x = s sum x, sum x y = x' y", sum_factor},
    SimplifyRule{"sum", "sum-of-squares", "sum (s x)^2 = s^2 sum x^2", sum_of_squares},
    SimplifyRule{"sum", "sum-broadcast", "sum of n times s = n s", sum_broadcast},
    SimplifyRule{"sum", "sum-gather", "sum x[i] = counts' x", sum_gather},
    SimplifyRule{"sum", "sum-concat", "the sum of parts is the sum of their sums", sum_concat},
    SimplifyRule{"sum", "sum-pack", "known summands meet", sum_pack},
    SimplifyRule{"max_element", "max-gather", "max x[i, i] = max x[i]", extreme_gather},
    SimplifyRule{"min_element", "min-gather", "min x[i, i] = min x[i]", extreme_gather},
    SimplifyRule{"dot", "dot-scalar", "s 1' x = s sum x", dot_scalar},
    SimplifyRule{"dot", "dot-factor", "(s x)' y = s x' y, (c x)' d = (c d)' x", dot_factor},
    SimplifyRule{"dot", "dot-same", "x' x = sum x^2", dot_same},
    SimplifyRule{"dot", "dot-gather", "c' x[i] = (c summed by i)' x", dot_gather},
    SimplifyRule{"matmul", "matmul-factor", "A (s v) = s (A v), A (-v) = -(A v)", matmul_factor},
};
}  // namespace

std::span<const SimplifyRule> reduction_rules() { return kReductionRules; }

}  // namespace credo::graph
