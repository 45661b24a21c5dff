#include "lang/trace/constraints.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "transform/parts_rounded.hpp"

namespace credo::lang {
using graph::Shape;

namespace {

std::string_view transform_name(typed::Constraint constraint) {
  constexpr std::array<std::string_view, 15> names{"",
                                                   "bounds",
                                                   "affine",
                                                   "ordered",
                                                   "positive_ordered",
                                                   "simplex",
                                                   "unit_vector",
                                                   "sum_to_zero_vector",
                                                   "sum_to_zero_matrix",
                                                   "column_stochastic_matrix",
                                                   "row_stochastic_matrix",
                                                   "cholesky_factor_corr",
                                                   "cholesky_factor_cov",
                                                   "corr_matrix",
                                                   "cov_matrix"};
  return names[static_cast<std::size_t>(constraint)];
}

// A bound for every element of the variable: a scalar repeats, one of the element's type repeats
// along the array.
Expr spread_bound(Machine& machine, const typed::Box& box, const ConstraintPlan& plan,
                  std::string_view name) {
  if (box == nullptr) return {};
  const Expr bound = machine.expr(machine.evaluate(*box));
  const Index total = plan.dims.total();
  if (bound.is_scalar() || bound.size() == total) return bound;
  if (bound.size() == 0 || total % bound.size() != 0) {
    machine.fail(
        fmt::format("{}: the bound has {} elements, the variable {}", name, bound.size(), total));
  }
  std::vector<std::int32_t> index(static_cast<std::size_t>(total));
  for (Index i = 0; i < total; ++i)
    index[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i % bound.size());
  return graph::gather(shape_of(plan.base, plan.dims), bound, std::move(index));
}

Expr part_of(const Expr& x, Index begin, const Shape& shape) {
  if (begin == 0 && x.size() == shape.size()) return x.reshaped(shape);
  return graph::slice(shape, x, begin);
}
}  // namespace

namespace {
void add_leaves(Machine& machine, const typed::SizedType& type, const std::string& name,
                std::vector<Leaf>& leaves) {
  if (type.type.base != BaseType::tuple) return leaves.push_back({&type, name});
  if (type.type.depth > 0) machine.fail("arrays of tuples are not implemented yet");
  const char separator = name.find(':') == std::string::npos ? ':' : '.';
  for (std::size_t k = 0; k < type.elements.size(); ++k)
    add_leaves(machine, type.elements[k], fmt::format("{}{}{}", name, separator, k + 1), leaves);
}

void add_leaf_values(const Value& value, std::vector<Value>& leaves) {
  if (!value.is_tuple()) return leaves.push_back(value);
  for (const Value& element : value.tuple()->elements) add_leaf_values(element, leaves);
}

Value put_together(const typed::SizedType& type, std::span<const Value> leaves, std::size_t& next) {
  if (type.type.base != BaseType::tuple) return leaves[next++];
  auto tuple = std::make_shared<TupleValue>();
  for (const typed::SizedType& element : type.elements)
    tuple->elements.push_back(put_together(element, leaves, next));
  return tuple;
}
}  // namespace

std::vector<Leaf> leaves_of(Machine& machine, const typed::SizedType& type,
                            const std::string& name) {
  std::vector<Leaf> leaves;
  add_leaves(machine, type, name, leaves);
  return leaves;
}

std::vector<Value> leaf_values(const Value& value) {
  std::vector<Value> leaves;
  add_leaf_values(value, leaves);
  return leaves;
}

Value from_leaves(const typed::SizedType& type, std::span<const Value> leaves) {
  std::size_t next = 0;
  return put_together(type, leaves, next);
}

ConstraintPlan plan_constraint(Machine& machine, const typed::SizedType& type,
                               std::string_view name) {
  if (contains_complex(type.type))
    machine.fail(fmt::format("{}: complex variables are not implemented yet", name));
  ConstraintPlan plan;
  plan.base = type.type.base;
  plan.dims = machine.evaluate_dims(type);
  plan.unit = shape_of(plan.base, plan.dims);
  if (type.constraint == typed::Constraint::none) return plan;
  plan.transform = transform::find(transform_name(type.constraint));
  if (plan.transform == nullptr) {
    machine.fail(fmt::format("{}: constraint {} is not implemented yet", name,
                             transform_name(type.constraint)));
  }
  plan.bounds.differentiable = machine.options().differentiable;
  if (plan.transform->elementwise) {
    const bool affine = type.constraint == typed::Constraint::affine;
    plan.bounds.first = spread_bound(machine, affine ? type.offset : type.lower, plan, name);
    plan.bounds.second = spread_bound(machine, affine ? type.multiplier : type.upper, plan, name);
    return plan;
  }
  plan.num_units = plan.unit.batch;
  plan.unit.batch = 1;
  if (plan.transform->legal_shape != nullptr && !plan.transform->legal_shape(plan.unit)) {
    machine.fail(
        fmt::format("{}: {} can't have size {}", name, plan.transform->name, to_string(plan.dims)));
  }
  return plan;
}

Index free_size(const ConstraintPlan& plan) {
  return plan.transform == nullptr ? plan.dims.total()
                                   : plan.num_units * plan.transform->free_size(plan.unit);
}

ConstrainedValue constrain(Machine& machine, const ConstraintPlan& plan, const Expr& free,
                           std::string_view name) {
  const Shape whole = shape_of(plan.base, plan.dims);
  if (plan.transform == nullptr)
    return {from_expr(part_of(free, 0, whole), plan.base, plan.dims), 0.0};
  const Index size = plan.transform->free_size(plan.unit);
  std::vector<Expr> parts, jacobians;
  for (Index u = 0; u < plan.num_units; ++u) {
    const Expr chunk = part_of(free, u * size, graph::vector_shape(size));
    if (plan.transform->require != nullptr)
      plan.transform->require(chunk, plan.bounds, name, machine.checks());
    const transform::Constrained c = plan.transform->constrain(
        plan.transform->elementwise ? chunk.reshaped(plan.unit) : chunk, plan.unit, plan.bounds);
    parts.push_back(c.value);
    jacobians.push_back(c.log_jacobian);
  }
  Expr log_jacobian = 0.0;
  for (const Expr& j : jacobians) log_jacobian = log_jacobian + j;
  const Expr value = plan.num_units == 1 ? parts[0].reshaped(whole) : graph::concat(whole, parts);
  return {from_expr(value, plan.base, plan.dims), log_jacobian};
}

namespace {
std::vector<double> known_values(const Value& value, Index begin, Index count) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i) values.push_back(scalar_of(value, begin + i).known);
  return values;
}
}  // namespace

std::vector<double> unconstrain(const ConstraintPlan& plan, const Value& value,
                                std::string_view name, double rounding) {
  if (plan.transform == nullptr) return known_values(value, 0, plan.dims.total());
  std::vector<double> free;
  const Index size = plan.unit.size();
  for (Index u = 0; u < plan.num_units; ++u) {
    const auto part = transform::unconstrain_rounded(
        *plan.transform, known_values(value, u * size, size), plan.unit, plan.bounds, rounding);
    if (!part) {
      throw Error(ErrorCode::data, fmt::format("{}: {}", plan.transform->name, part.error()),
                  std::string(name), "give a value inside the declared constraint");
    }
    free.insert(free.end(), part->begin(), part->end());
  }
  return free;
}

void check_value(Machine& machine, const typed::SizedType& type, const Value& value,
                 std::string_view name) {
  if (type.type.base == BaseType::tuple) {
    for (std::size_t k = 0; k < type.elements.size(); ++k) {
      check_value(machine, type.elements[k], value.tuple()->elements[k],
                  fmt::format("{}.{}", name, k + 1));
    }
    return;
  }
  if (type.constraint == typed::Constraint::none || type.constraint == typed::Constraint::affine)
    return;
  const ConstraintPlan plan = plan_constraint(machine, type, name);
  const Expr whole = machine.expr(value);
  for (Index u = 0; u < plan.num_units; ++u) {
    const Shape unit = plan.transform->elementwise ? whole.shape() : plan.unit;
    plan.transform->check(part_of(whole, u * plan.unit.size(), unit), unit, plan.bounds, name,
                          machine.checks());
  }
}

void Machine::check_globals(typed::BlockKind block, std::span<const char> unchecked) {
  for (const typed::Statement& s : program_.block(block).statements) {
    const auto* declaration = std::get_if<typed::Declaration>(&s.node);
    if (declaration == nullptr || declaration->slot.local) continue;
    const auto slot_index = static_cast<std::size_t>(declaration->slot.index);
    if (!unchecked.empty() && unchecked[slot_index] != 0) continue;
    statement_ = s.id;
    if (graph_ != nullptr) graph_->statement = s.id;
    check_value(*this, *declaration->type, slot(declaration->slot), declaration->name);
  }
}

}  // namespace credo::lang
