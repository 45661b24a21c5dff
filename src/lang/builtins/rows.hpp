// Rows that apply a formula element by element, to scalars, containers and arrays of any depth.
#pragma once
#include "graph/core/op.hpp"
#include "lang/trace/builtins.hpp"

namespace credo::lang {

using Unary = Expr (*)(const Expr&);
using Binary = Expr (*)(const Expr&, const Expr&);

template <Unary f>
Value unary(const BuiltinCall& c) {
  return like(f(c.expr(0)), c[0]);
}

// Argument k as a size; fails where it is negative.
Index size_argument(const BuiltinCall& c, std::size_t k);
// The sizes of the result, before memory is allocated; fails if there are too many elements.
const Dims& roomy(const BuiltinCall& c, const Dims& sizes);

// The first two arguments have one size where both are containers.
void check_sizes_fit(const BuiltinCall& c);

// Argument k, whole numbers, in the shape and the order of the argument it goes with: an array of
// them lies by rows, a matrix by columns.
Expr whole_like(const BuiltinCall& c, std::size_t k, const Value& pattern);

template <Binary f>
Value binary(const BuiltinCall& c) {
  check_sizes_fit(c);
  const Value& container = c[0].is_scalar() ? c[1] : c[0];
  return like(f(c.expr(0), c.expr(1)), container);
}

// The elementwise row of the graph of this name, with as many arguments as it has: no header need declare it.
Value apply_row(const graph::Op& row, const BuiltinCall& c);
template <std::size_t N>
struct RowName {
  consteval RowName(const char (&name)[N]) { std::copy_n(name, N, text); }
  char text[N];
};
template <RowName name>
Value by_row(const BuiltinCall& c) {
  static const graph::Op& row = graph::row_named(name.text);
  return apply_row(row, c);
}

}  // namespace credo::lang
