// Sorting, ranks and quantiles. If elements depend on parameters, the order is a separate row:
// sorted values are taken from computed places, and the places are whole numbers in the graph.
#include <fmt/format.h>

#include "lang/trace/builtins.hpp"
#include "numerics/order_statistics.hpp"

namespace credo::lang {
namespace {

// Places from 0; equal elements keep their order.
Expr order_of(const BuiltinCall& c, bool descending) {
  const Expr x = c.expr(0);
  c.machine.checks().not_nan(x, {c.name, "element", "not nan"});
  return graph::order_places(descending ? -x : x);
}

template <bool descending>
Value sort(const BuiltinCall& c) {
  if (c[0].is_ints()) {
    std::vector<std::int32_t> values = c[0].ints()->values;
    std::sort(values.begin(), values.end());
    if (descending) std::reverse(values.begin(), values.end());
    return make_ints(dims_of(c[0]), std::move(values));
  }
  const Expr x = c.expr(0);
  return like(graph::take(x, order_of(c, descending)).reshaped(x.shape()), c[0]);
}

template <bool descending>
Value sort_indices(const BuiltinCall& c) {
  const Expr order = order_of(c, descending) + 1.0;
  const Index n = order.size();
  Value places = make_ints({n}, std::vector<std::int32_t>(static_cast<std::size_t>(n)));
  for (Index i = 0; i < n; ++i)
    places.ints()->set(i, c.machine.whole_number(order.element(i), 1, n));
  return places;
}

// How many elements are smaller than element s.
Value rank(const BuiltinCall& c) {
  const Expr x = c.expr(0);
  const Index place = c[1].integer();
  if (place < 1 || place > x.size())
    c.machine.fail(fmt::format("rank: index {} is out of range, the size is {}", place, x.size()));
  c.machine.checks().not_nan(x, {c.name, "element", "not nan"});
  return c.machine.whole_number(graph::sum(graph::less(x, x.element(place - 1))), 0, x.size() - 1);
}

std::vector<Scalar> elements_of(const BuiltinCall& c) {
  std::vector<Scalar> elements;
  for (Index i = 0; i < size_of(c[0]); ++i) elements.push_back(scalar_of(c[0], i));
  for (const Scalar& x : elements)
    if (std::isnan(x.known)) c.machine.reject(c.name, "element", kNaN, "not nan");
  return elements;
}

// Quantiles of data.
Value quantile(const BuiltinCall& c) {
  std::vector<double> sorted;
  for (const Scalar& x : elements_of(c)) sorted.push_back(x.known);
  if (sorted.empty()) c.machine.fail("quantile: the container is empty");
  std::sort(sorted.begin(), sorted.end());
  std::vector<Scalar> result;
  for (Index i = 0; i < (c[1].is_scalar() ? 1 : size_of(c[1])); ++i) {
    const double p = scalar_of(c[1], i).known;
    if (!(p >= 0.0 && p <= 1.0))
      c.machine.reject(c.name, "probability", p, "in the interval [0, 1]");
    result.emplace_back(numerics::quantile_of_sorted(sorted, p));
  }
  return c[1].is_scalar() ? Value(result[0])
                          : make_reals(BaseType::real, dims_of(c[1]), std::move(result));
}

constexpr Builtin kOrderRows[] = {
    {.name = "quantile", .run = quantile, .needs_numbers = true},
    {"rank", rank},
    {"sort_asc", sort<false>},
    {"sort_desc", sort<true>},
    {"sort_indices_asc", sort_indices<false>},
    {"sort_indices_desc", sort_indices<true>},
};
}  // namespace

std::span<const Builtin> builtins_order() { return kOrderRows; }

}  // namespace credo::lang
