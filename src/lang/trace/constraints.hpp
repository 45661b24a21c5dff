// Declared constraints by the rows of transform/table.cpp: parameters from unconstrained values, these
// from given parameters, and the checks of data, transformed data, transformed parameters and
// generated quantities.
#pragma once
#include "lang/trace/machine.hpp"
#include "transform/transform.hpp"

namespace credo::lang {

// How the declaration of one variable maps to a transform.
struct ConstraintPlan {
  const transform::Transform* transform = nullptr;  // null: no constraint
  BaseType base = BaseType::real;
  Dims dims;
  graph::Shape unit;    // shape for one application of the transform
  Index num_units = 1;  // elementwise transforms see the whole variable as one unit
  transform::Bounds bounds;
};

ConstraintPlan plan_constraint(Machine& machine, const typed::SizedType& type,
                               std::string_view name);
Index free_size(const ConstraintPlan& plan);

// Parts of a declared variable that transforms apply to: itself, or each element of a tuple, of a tuple in
// it, ...
struct Leaf {
  const typed::SizedType* type = nullptr;
  std::string name;  // name in outputs: "t:2.1", the first element of the second one
};
std::vector<Leaf> leaves_of(Machine& machine, const typed::SizedType& type,
                            const std::string& name);
// The values of the leaves in their order, taken apart and put together.
std::vector<Value> leaf_values(const Value& value);
Value from_leaves(const typed::SizedType& type, std::span<const Value> leaves);

struct ConstrainedValue {
  Value value;
  Expr log_jacobian;
};
// `free` holds free_size(plan) values: an expression of the graph or constants.
ConstrainedValue constrain(Machine& machine, const ConstraintPlan& plan, const Expr& free,
                           std::string_view name);

// The unconstrained values of a known value. Throws Error{data} if it violates the constraint by more than its
// relative rounding (transform/parts_rounded.hpp).
std::vector<double> unconstrain(const ConstraintPlan& plan, const Value& value,
                                std::string_view name, double rounding = 0.0);

// Reports a broken constraint through the machine's checks, naming the variable.
void check_value(Machine& machine, const typed::SizedType& type, const Value& value,
                 std::string_view name);

}  // namespace credo::lang
