// Sorting, ranks and quantiles. Where elements depend on parameters, each comparison is decided by
// a guard: the order is that of one path, and another order is another path.
#include <fmt/format.h>

#include "lang/builtins.hpp"
#include "numerics/order_statistics.hpp"

namespace credo::lang {
namespace {

bool comes_before(const BuiltinCall& c, const Scalar& a, const Scalar& b) {
  if (a.is_known() && b.is_known()) return a.known < b.known;
  return c.machine.decide(
      graph::less(to_expr(a, c.machine.graph()), to_expr(b, c.machine.graph())));
}

std::vector<Scalar> elements_of(const BuiltinCall& c) {
  std::vector<Scalar> elements;
  for (Index i = 0; i < size_of(c[0]); ++i) elements.push_back(scalar_of(c[0], i));
  for (const Scalar& x : elements)
    if (x.is_known() && std::isnan(x.known)) c.machine.reject(c.name, "element", kNaN, "not nan");
  return elements;
}

// Places from 0; equal elements keep their order.
std::vector<std::int32_t> order_of(const BuiltinCall& c, const std::vector<Scalar>& elements,
                                   bool descending) {
  std::vector<std::int32_t> order(elements.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t i, std::int32_t j) {
    const Scalar &a = elements[static_cast<std::size_t>(i)],
                 &b = elements[static_cast<std::size_t>(j)];
    return descending ? comes_before(c, b, a) : comes_before(c, a, b);
  });
  return order;
}

template <bool descending>
Value sort(const BuiltinCall& c) {
  if (c[0].is_ints()) {
    std::vector<std::int32_t> values = c[0].ints()->values;
    std::sort(values.begin(), values.end());
    if (descending) std::reverse(values.begin(), values.end());
    return make_ints(dims_of(c[0]), std::move(values));
  }
  const std::vector<Scalar> elements = elements_of(c);
  std::vector<Scalar> sorted;
  for (const std::int32_t i : order_of(c, elements, descending))
    sorted.push_back(elements[static_cast<std::size_t>(i)]);
  return make_reals(base_of(c[0]), dims_of(c[0]), std::move(sorted));
}

template <bool descending>
Value sort_indices(const BuiltinCall& c) {
  std::vector<std::int32_t> order = order_of(c, elements_of(c), descending);
  for (std::int32_t& i : order) ++i;
  const Index n = ssize(order);
  return make_ints({n}, std::move(order));
}

// How many elements are smaller than element s.
Value rank(const BuiltinCall& c) {
  const std::vector<Scalar> elements = elements_of(c);
  const Index place = c[1].integer();
  if (place < 1 || place > ssize(elements))
    c.machine.fail(
        fmt::format("rank: index {} is out of range, the size is {}", place, elements.size()));
  const Scalar& one = elements[static_cast<std::size_t>(place - 1)];
  return static_cast<std::int32_t>(
      std::count_if(elements.begin(), elements.end(),
                    [&](const Scalar& other) { return comes_before(c, other, one); }));
}

// Of data.
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

constexpr Builtin kRows[] = {
    {"quantile", quantile},
    {"rank", rank},
    {"sort_asc", sort<false>},
    {"sort_desc", sort<true>},
    {"sort_indices_asc", sort_indices<false>},
    {"sort_indices_desc", sort_indices<true>},
};
}  // namespace

std::span<const Builtin> builtins_order() { return kRows; }

}  // namespace credo::lang
