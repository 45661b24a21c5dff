#include "model/messages/declared_parameters.hpp"

#include <fmt/format.h>

#include "model/data/declarations.hpp"

namespace credo::model {
using graph::Expr;
using graph::Shape;
namespace typed = lang::typed;

namespace {
bool are_all(const Expr& bound, double value) {
  if (bound.empty() || !bound.is_constant()) return false;
  for (Index i = 0; i < bound.size(); ++i)
    if (bound.value(i) != value) return false;
  return true;
}

void refuse(DeclaredParameter& parameter, std::string reason, std::string hint) {
  parameter.kind = DeclaredKind::other;
  parameter.refusal = std::move(reason);
  parameter.hint = std::move(hint);
}

void classify_bounds(DeclaredParameter& p) {
  const Expr &lower = p.plan.bounds.first, &upper = p.plan.bounds.second;
  if (are_all(lower, 0.0) && upper.empty())
    p.kind = DeclaredKind::positive;
  else if (are_all(lower, 0.0) && are_all(upper, 1.0))
    p.kind = DeclaredKind::unit;
  else
    refuse(p, "has bounds that cut the support of every conjugate family",
           "families have the real line, lower=0, or lower=0 with upper=1: declare one of these");
}

void classify(DeclaredParameter& p, typed::Constraint constraint) {
  using typed::Constraint;
  switch (constraint) {
    case Constraint::none:
      return;
    case Constraint::bounds:
      return classify_bounds(p);
    case Constraint::simplex:
      p.kind = DeclaredKind::simplex;
      p.unit = p.plan.unit.size();
      return;
    case Constraint::cov_matrix:
      p.kind = DeclaredKind::matrix;
      p.unit = p.plan.unit.rows;
      return;
    case Constraint::ordered:
    case Constraint::positive_ordered:
      return refuse(
          p, "is ordered, and no factor of independent values is",
          "declare a vector without `ordered`: coordinate ascent stays in one labelling by itself");
    case Constraint::affine:
      return refuse(p, "has an offset or multiplier",
                    "leave <offset, multiplier> out: factors need no scale");
    default:
      return refuse(p, "has a constraint of no conjugate family",
                    "families have numbers without bounds, lower=0, lower=0 with upper=1, "
                    "simplexes and cov_matrix");
  }
}

Expr chunk(const Expr& x, Index begin, const Shape& shape) {
  if (begin == 0 && x.size() == shape.size()) return x.reshaped(shape);
  return graph::slice(shape, x, begin);
}
}  // namespace

DeclaredParameters::DeclaredParameters(const ProgramData& data, const Parameters& parameters)
    : parameters_(parameters) {
  lang::Machine machine = data.new_machine({});
  const auto lay_out = [&](const typed::Statement& s, const typed::Declaration& d) {
    machine.enter(s);
    if (!lang::is_int_based(d.type->type)) {
      for (const lang::Leaf& leaf : lang::leaves_of(machine, *d.type, d.name)) {
        DeclaredParameter p{.name = leaf.name, .first = size_, .statement = s.id};
        p.plan = lang::plan_constraint(machine, *leaf.type, leaf.name);
        p.size = p.plan.dims.total();
        classify(p, leaf.type->constraint);
        const density::Variable variable = stored_variable(leaf.name, p.plan.base, p.plan.dims);
        for (Index e = 0; e < p.size; ++e)
          p.elements.push_back(density::bracketed_name(variable.element_name(e)));
        size_ += p.size;
        if (p.size > 0) all_.push_back(std::move(p));
      }
    }
    machine.global(d.slot.index) = machine.unset_value(*d.type);
  };
  with_data_alone(data.source(),
                  [&] { for_each_declaration(data.source().program.parameters, lay_out); });
  num_continuous_ = size_;
  const DiscreteRanges& discrete = parameters.discrete();
  for (Index v = 0; v < ssize(discrete.layout.variables()); ++v) {
    const density::Variable& variable = discrete.layout.variables()[static_cast<std::size_t>(v)];
    DeclaredParameter p{.name = variable.name,
                        .kind = DeclaredKind::whole,
                        .first = size_,
                        .size = variable.size()};
    const auto first = static_cast<std::size_t>(discrete.layout.first(v));
    p.lower = discrete.lower[first], p.upper = discrete.upper[first];
    for (Index e = 0; e < p.size; ++e) {
      p.elements.push_back(density::bracketed_name(variable.element_name(e)));
      const std::size_t k = first + static_cast<std::size_t>(e);
      p.lower = std::min(p.lower, discrete.lower[k]),
      p.upper = std::max(p.upper, discrete.upper[k]);
    }
    size_ += p.size;
    all_.push_back(std::move(p));
  }
}

std::vector<graph::CoordinateGroup> DeclaredParameters::groups() const {
  std::vector<graph::CoordinateGroup> groups;
  for (const DeclaredParameter& p : all_) {
    graph::CoordinateGroup group{
        .first = p.first, .size = p.size, .is_whole = p.kind == DeclaredKind::whole};
    if (group.is_whole) group.lower = p.lower, group.upper = p.upper;
    const bool is_share = p.kind == DeclaredKind::unit || p.kind == DeclaredKind::simplex;
    if (is_share || p.kind == DeclaredKind::positive) group.lower = 0.0;
    if (is_share) group.upper = 1.0;
    groups.push_back(group);
  }
  return groups;
}

void DeclaredParameters::drop_whole() {
  std::erase_if(all_, [](const DeclaredParameter& p) { return p.kind == DeclaredKind::whole; });
  size_ = num_continuous_;
}

void DeclaredParameters::set(lang::Machine& machine, const Expr& values) const {
  Index begin = 0, whole = num_continuous_;
  for_each_declaration(
      machine.program().parameters, [&](const typed::Statement& s, const typed::Declaration& d) {
        machine.enter(s);
        if (lang::is_int_based(d.type->type)) {
          machine.global(d.slot.index) =
              parameters_.discrete_at(machine, d, values, whole, whole - num_continuous_);
          whole += lang::size_of(machine.global(d.slot.index));
          return;
        }
        std::vector<lang::Value> leaves;
        for (const lang::Leaf& leaf : lang::leaves_of(machine, *d.type, d.name)) {
          const lang::ConstraintPlan plan = lang::plan_constraint(machine, *leaf.type, leaf.name);
          const Shape shape = lang::shape_of(plan.base, plan.dims);
          leaves.push_back(lang::from_expr(chunk(values, begin, shape), plan.base, plan.dims));
          begin += plan.dims.total();
        }
        machine.global(d.slot.index) = lang::from_leaves(*d.type, leaves);
      });
}

std::vector<double> DeclaredParameters::at(std::span<const double> free) const {
  std::vector<double> values;
  Index begin = 0;
  for (const DeclaredParameter& p : all_) {
    if (p.kind == DeclaredKind::whole) {
      values.insert(values.end(), static_cast<std::size_t>(p.size), p.lower);
      continue;
    }
    const Index units =
        p.plan.transform == nullptr || p.plan.transform->elementwise ? 1 : p.plan.num_units;
    const Index size = lang::free_size(p.plan) / units;
    for (Index u = 0; u < units; ++u, begin += size) {
      const auto part =
          free.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(size));
      if (p.plan.transform == nullptr) {
        values.insert(values.end(), part.begin(), part.end());
        continue;
      }
      const Expr constant = graph::constant(graph::vector_shape(size), part);
      const bool whole = p.plan.transform->elementwise;
      const Expr value = p.plan.transform
                             ->constrain(whole ? constant.reshaped(p.plan.unit) : constant,
                                         p.plan.unit, p.plan.bounds)
                             .value;
      for (Index i = 0; i < value.size(); ++i) values.push_back(value.value(i));
    }
  }
  return values;
}

double DeclaredParameters::place(std::span<const double> values, std::span<double> free) const {
  double log_jacobian = 0.0;
  std::size_t begin = 0;
  for (const DeclaredParameter& p : all_) {
    const auto all =
        values.subspan(static_cast<std::size_t>(p.first), static_cast<std::size_t>(p.size));
    if (p.kind == DeclaredKind::whole || p.plan.transform == nullptr) {
      std::ranges::copy(all, free.begin() + static_cast<std::ptrdiff_t>(begin));
      begin += all.size();
      continue;
    }
    const bool elementwise = p.plan.transform->elementwise;
    const Index units = elementwise ? 1 : p.plan.num_units, size = p.size / units;
    for (Index u = 0; u < units; ++u) {
      const auto part = p.plan.transform->unconstrain(
          all.subspan(static_cast<std::size_t>(u * size), static_cast<std::size_t>(size)),
          p.plan.unit, p.plan.bounds);
      if (!part) return -kInfinity;
      std::ranges::copy(*part, free.begin() + static_cast<std::ptrdiff_t>(begin));
      begin += part->size();
      const Expr constant = graph::constant(graph::vector_shape(ssize(*part)), *part);
      log_jacobian += p.plan.transform
                          ->constrain(elementwise ? constant.reshaped(p.plan.unit) : constant,
                                      p.plan.unit, p.plan.bounds)
                          .log_jacobian.value();
    }
  }
  return log_jacobian;
}

}  // namespace credo::model
