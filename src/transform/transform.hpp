// One constraint of the language: the map from unconstrained values to constrained ones, its log Jacobian,
// its inverse, and the check of a given value. One file each, one row each in transform/table.cpp.
// Definitions are those of the language's current version (simplex: softmax of a sum-to-zero
// vector).
#pragma once
#include "base/result.hpp"
#include "graph/ops/checks.hpp"

namespace credo::transform {

using graph::Checks;
using graph::Expr;
using graph::Shape;

struct Constrained {
  Expr value;         // value in the unit's shape
  Expr log_jacobian;  // scalar: log |det| of the map, summed over the unit
};

// Bounds, or offset and multiplier; empty where not declared. Scalars, or containers of the unit's
// shape.
struct Bounds {
  Expr first, second;  // lower, upper; or offset, multiplier
  bool differentiable =
      true;  // false: only values are needed, those of constant bounds, bit for bit
};

// The bound of an element as a number: bounds may be scalars. `absent` without a bound.
double bound_at(const Expr& bound, Index element, double absent);

// Message of unconstrain for a value that breaks the constraint: "element 3 is 0.2, but must be at
// least 0.5".
using Broken = std::string;

// One vector, one matrix, or a whole variable of any shape where the transform is elementwise.
struct Transform {
  std::string_view name;  // "simplex"
  bool elementwise;       // the unit is a whole variable of any shape; else one vector or matrix

  // Number of unconstrained values of the unit.
  Index (*free_size)(const Shape& unit);

  // `free` has free_size elements; its shape doesn't matter.
  Constrained (*constrain)(const Expr& free, const Shape& unit, const Bounds& bounds);

  // Plain numbers, column-major; bounds are constants here. The result has free_size values; a
  // value on the edge of the support has infinite ones.
  Result<std::vector<double>, Broken> (*unconstrain)(std::span<const double> value,
                                                     const Shape& unit, const Bounds& bounds);

  // Data, transformed data, transformed parameters, generated quantities: is this a legal value?
  // `variable` is named in messages as Requirement::function.
  void (*check)(const Expr& value, const Shape& unit, const Bounds& bounds,
                std::string_view variable, Checks& checks);

  // Requirements at every evaluation of `constrain`: lower < upper, multiplier > 0, an unconstrained vector
  // that has a direction. Null without requirements.
  void (*require)(const Expr& free, const Bounds& bounds, std::string_view variable,
                  Checks& checks) = nullptr;

  bool (*legal_shape)(const Shape& unit) = nullptr;  // null: any; simplex[0] for one is an error
  std::string_view reference = {};                   // where the map is defined

  // Moves a rounded value to one that obeys the constraint (transform/parts_rounded.hpp). Null: every rounded value
  // obeys it.
  void (*renew)(std::span<double> value, const Shape& unit, const Bounds& bounds,
                double rounding) = nullptr;
};

std::span<const Transform* const> table();     // alphabetical
const Transform* find(std::string_view name);  // null: not there

}  // namespace credo::transform
