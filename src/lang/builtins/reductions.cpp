// Functions of a container that give a scalar, and running ones.
#include <fmt/format.h>

#include "lang/trace/builtins.hpp"

namespace credo::lang {
namespace {

void check_not_empty(const BuiltinCall& c) {
  if (size_of(c[0]) == 0) c.machine.fail(fmt::format("{}: the container is empty", c.name));
}

void check_equal_sizes(const BuiltinCall& c) {
  if (size_of(c[0]) == size_of(c[1])) return;
  c.machine.fail(
      fmt::format("{}: sizes {} and {} don't fit", c.name, size_of(c[0]), size_of(c[1])));
}

// ---- sums and products

Value sum_of_ints(const BuiltinCall& c) {
  std::int64_t least = 0, most = 0;
  for (Index i = 0; i < size_of(c[0]); ++i) {
    const Whole bounds = bounds_of(c[0].ints()->element(i));
    least += bounds.least, most += bounds.most;
  }
  if (least == most) return c.machine.int_result(c.name, least);
  if (least >= Whole::kLeast && most <= Whole::kMost)
    return c.machine.whole_number(graph::sum(c.expr(0)), least, most);
  std::int64_t total = 0;  // it might overflow
  const Value known = c.machine.closed(c[0]);
  for (const std::int32_t v : known.ints()->values) total += v;
  return c.machine.int_result(c.name, total);
}
Value sum(const BuiltinCall& c) {
  if (c[0].is_scalar()) return c[0];
  if (c[0].is_ints()) return sum_of_ints(c);
  return Scalar(graph::sum(c.expr(0)));
}
Value prod(const BuiltinCall& c) {
  if (!c[0].is_ints()) return Scalar(graph::prod(c.expr(0)));
  const auto& values = c[0].ints()->values;
  if (std::ranges::find(values, 0) != values.end()) return 0;  // even if the other values overflow
  std::int64_t product = 1;
  for (const std::int32_t v : values) {
    if (std::abs(product) > std::int64_t{Whole::kMost} + 1) break;  // too large already
    product *= v;
  }
  return c.machine.int_result(c.name, product);
}
Value dot_product(const BuiltinCall& c) {
  check_equal_sizes(c);
  return Scalar(graph::dot(c.expr(0), c.expr(1)));
}
Value dot_self(const BuiltinCall& c) { return Scalar(graph::dot(c.expr(0), c.expr(0))); }
Value norm2(const BuiltinCall& c) { return Scalar(graph::sqrt(graph::dot(c.expr(0), c.expr(0)))); }
Value norm1(const BuiltinCall& c) { return Scalar(graph::sum(graph::abs(c.expr(0)))); }
Value distance_squared(const BuiltinCall& c) {
  check_equal_sizes(c);
  const Expr d = c.expr(0) - c.expr(1).reshaped(c.expr(0).shape());
  return Scalar(graph::dot(d, d));
}
Value distance(const BuiltinCall& c) {
  check_equal_sizes(c);
  const Expr d = c.expr(0) - c.expr(1).reshaped(c.expr(0).shape());
  return Scalar(graph::sqrt(graph::dot(d, d)));
}

// ---- moments: errors when empty, n - 1 in the variance

Expr mean_of(const Expr& x) { return graph::sum(x) / static_cast<double>(x.size()); }
Expr variance_of(const Expr& x) {
  if (x.size() == 1) return 0.0;
  const Expr d = x - mean_of(x);
  return graph::dot(d, d) / static_cast<double>(x.size() - 1);
}
Value mean(const BuiltinCall& c) {
  check_not_empty(c);
  return Scalar(mean_of(c.expr(0)));
}
Value variance(const BuiltinCall& c) {
  check_not_empty(c);
  return Scalar(variance_of(c.expr(0)));
}
Value sd(const BuiltinCall& c) {
  check_not_empty(c);
  const Expr v = variance_of(c.expr(0));
  return Scalar(c.expr(0).size() == 1 ? v : graph::sqrt(v));
}

// ---- extremes

template <bool is_max>
Value extreme(const BuiltinCall& c) {
  const auto pick = [](std::int32_t a, std::int32_t b) {
    return is_max ? std::max(a, b) : std::min(a, b);
  };
  if (c.size() == 2) return pick(c[0].integer(), c[1].integer());
  if (!c[0].is_ints())
    return Scalar(is_max ? graph::max_element(c.expr(0)) : graph::min_element(c.expr(0)));
  check_not_empty(c);
  const auto& values = c[0].ints()->values;
  return std::accumulate(values.begin(), values.end(), values[0], pick);
}

// ---- running and normalising

Value cumulative_sum(const BuiltinCall& c) {
  if (!c[0].is_ints()) return like(graph::cumulative_sum(c.expr(0)), c[0]);
  std::vector<std::int32_t> values = c[0].ints()->values;
  std::int64_t total = 0;
  for (std::int32_t& v : values) v = c.machine.int_result(c.name, total += v);
  return make_ints(c[0].ints()->dims, std::move(values));
}
// Each vector of an array by itself.
template <Expr (*f)(const Expr&)>
Value by_vector(const BuiltinCall& c) {
  const Dims dims = dims_of(c[0]);
  if (size_of(c[0]) == 0) return c[0];
  const Expr x = c.expr(0);
  const Index length = dims.back(), count = size_of(c[0]) / length;
  if (count == 1) return like(f(x), c[0]);
  std::vector<Expr> parts;
  for (Index k = 0; k < count; ++k)
    parts.push_back(f(graph::slice(graph::vector_shape(length), x, k * length)));
  return like(graph::concat(shape_of(base_of(c[0]), dims), parts), c[0]);
}
Expr softmax(const Expr& x) { return graph::exp(x - graph::log_sum_exp(x)); }
Expr log_softmax(const Expr& x) { return x - graph::log_sum_exp(x); }

constexpr Builtin kReductionsRows[] = {
    {"cumulative_sum", cumulative_sum},
    {"distance", distance},
    {"dot_product", dot_product},
    {"dot_self", dot_self},
    {"log_softmax", by_vector<log_softmax>},
    {"max", extreme<true>},
    {"mean", mean},
    {"min", extreme<false>},
    {"norm1", norm1},
    {"norm2", norm2},
    {"prod", prod},
    {"sd", sd},
    {"softmax", by_vector<softmax>},
    {"squared_distance", distance_squared},
    {"sum", sum, true},
    {"variance", variance},
};
}  // namespace

std::span<const Builtin> builtins_reductions() { return kReductionsRows; }

}  // namespace credo::lang
