// Rows that apply a formula element by element, to scalars, containers and arrays of any depth.
#pragma once
#include <fmt/format.h>

#include "lang/builtins.hpp"

namespace credo::lang {

using Unary = Expr (*)(const Expr&);
using Binary = Expr (*)(const Expr&, const Expr&);

template <Unary f>
Value unary(const BuiltinCall& c) {
  return like(f(c.expr(0)), c[0]);
}

template <Binary f>
Value binary(const BuiltinCall& c) {
  const Value& container = c[0].is_scalar() ? c[1] : c[0];
  if (!c[0].is_scalar() && !c[1].is_scalar() && size_of(c[0]) != size_of(c[1])) {
    c.machine.fail(fmt::format("{}: sizes {} and {} don't fit", c.name, to_string(dims_of(c[0])),
                               to_string(dims_of(c[1]))));
  }
  return like(f(c.expr(0), c.expr(1)), container);
}

}  // namespace credo::lang
