#include "model/parameters.hpp"

#include <fmt/format.h>

#include "lang/trace/constraints.hpp"
#include "lang/trace/data_reader.hpp"
#include "model/data/data_faults.hpp"
#include "model/data/declarations.hpp"

namespace credo::model {
using lang::Expr;
using lang::Machine;
using lang::Value;
namespace typed = lang::typed;

namespace {
// "beta.2" if unconstrained values and elements correspond; else numbered: for a simplex, "theta.2.1"
// is the first unconstrained value of the second simplex of an array.
density::Variable free_variable(const std::string& name, const lang::ConstraintPlan& plan) {
  const Index size = lang::free_size(plan);
  density::Variable variable = stored_variable(name, plan.base, plan.dims);
  if (size == plan.dims.total()) return variable;
  variable.dims = first_sizes(plan.dims, static_cast<int>(variable.num_outer));
  variable.dims.push_back(plan.num_units == 0 ? 0 : size / plan.num_units);
  return variable;
}
}  // namespace

// Sizes are data-only; a bound may name an earlier parameter, whose value doesn't matter here.
Parameters::Parameters(const ProgramData& data) {
  Machine machine = data.new_machine({});
  const auto lay_out = [&](const typed::Statement& s, const typed::Declaration& d) {
    machine.enter(s);
    if (lang::is_int_based(d.type->type)) return lay_out_discrete(machine, d);
    for (const lang::Leaf& leaf : lang::leaves_of(machine, *d.type, d.name)) {
      const lang::ConstraintPlan plan = lang::plan_constraint(machine, *leaf.type, leaf.name);
      free_.add(free_variable(leaf.name, plan));
    }
    machine.global(d.slot.index) = machine.unset_value(*d.type);
  };
  with_data_alone(data.source(),
                  [&] { for_each_declaration(data.source().program.parameters, lay_out); });
}

void Parameters::lay_out_discrete(Machine& machine, const typed::Declaration& d) {
  const lang::ConstraintPlan plan = lang::plan_constraint(machine, *d.type, d.name);
  discrete_.layout.add(stored_variable(d.name, lang::BaseType::integer, plan.dims));
  const auto bound = [&](const Expr& bounds, Index i) {
    return static_cast<std::int32_t>(bounds.value(bounds.is_scalar() ? 0 : i));
  };
  for (Index i = 0; i < plan.dims.total(); ++i) {
    const std::int32_t lower = bound(plan.bounds.first, i), upper = bound(plan.bounds.second, i);
    if (lower > upper) {
      machine.fail(
          fmt::format("{}: the lower bound {} is above the upper bound {}", d.name, lower, upper));
    }
    discrete_.lower.push_back(lower);
    discrete_.upper.push_back(upper);
  }
  machine.global(d.slot.index) = machine.unset_value(*d.type);
}

// Known, or elements of the input that depend on nothing.
Value Parameters::discrete_at(Machine& machine, const typed::Declaration& d, const Expr& values,
                              Index begin, Index first) const {
  const lang::Dims dims = lang::dims_of(machine.unset_value(*d.type));
  const Index count = dims.count == 0 ? 1 : dims.total();
  Value all = lang::make_ints({count}, std::vector<std::int32_t>(static_cast<std::size_t>(count)));
  for (Index i = 0; i < count; ++i) {
    const auto m = static_cast<std::size_t>(first + i);
    const Expr x = values.element(begin + i);
    const Value value = x.is_constant()
                            ? Value(static_cast<std::int32_t>(x.value()))
                            : lang::Whole{x.ref(), discrete_.lower[m], discrete_.upper[m]};
    if (dims.count == 0) return value;
    all.ints()->set(i, value);
  }
  all.ints()->dims = dims;
  return all;
}

// The unconstrained values, and for discrete parameters that are missing their lower bounds.
std::vector<double> Parameters::completed(std::span<const double> point) const {
  std::vector<double> all(point.begin(), point.end());
  if (std::ssize(point) == dimension())
    all.insert(all.end(), discrete_.lower.begin(), discrete_.lower.end());
  return all;
}

Expr Parameters::set(Machine& machine, const Expr& free) const {
  Expr log_jacobian = 0.0;
  Index begin = 0, first_discrete = 0;
  for_each_declaration(
      machine.program().parameters, [&](const typed::Statement& s, const typed::Declaration& d) {
        machine.enter(s);
        if (lang::is_int_based(d.type->type)) {
          machine.global(d.slot.index) =
              discrete_at(machine, d, free, dimension() + first_discrete, first_discrete);
          first_discrete += lang::size_of(machine.global(d.slot.index));
          return;
        }
        std::vector<Value> values;
        for (const lang::Leaf& leaf : lang::leaves_of(machine, *d.type, d.name)) {
          const lang::ConstraintPlan plan = lang::plan_constraint(machine, *leaf.type, leaf.name);
          const Index size = lang::free_size(plan);
          const lang::ConstrainedValue c = lang::constrain(
              machine, plan, graph::slice(graph::vector_shape(size), free, begin), leaf.name);
          values.push_back(c.value);
          machine.add_term(c.log_jacobian, 0.0, lang::TermKind::transform_jacobian);
          log_jacobian = log_jacobian + c.log_jacobian;
          begin += size;
        }
        machine.global(d.slot.index) = lang::from_leaves(*d.type, values);
      });
  return log_jacobian;
}

void Parameters::set_numbers(Machine& machine, std::span<const double> point) const {
  const std::vector<double> all = completed(point);
  set(machine, graph::constant(graph::vector_shape(ssize(all)), all));
}

void Parameters::run_density(Machine& machine, std::span<const double> point) const {
  set_numbers(machine, point);
  machine.run(typed::BlockKind::transformed_parameters);
  machine.run(typed::BlockKind::model);
}

std::vector<double> Parameters::unconstrain(const ProgramData& data, const io::DataTable& values,
                                            std::span<const double> fill,
                                            bool draws_discrete) const {
  const ProgramSource& source = data.source();
  Machine machine = data.new_machine({});
  std::vector<double> free;
  const auto add = [&](const typed::Statement& s, const typed::Declaration& d) {
    machine.enter(s);
    if (lang::is_int_based(d.type->type)) return;  // below
    const bool is_given = fill.empty() || values.find(d.name) != nullptr;
    Value& global = machine.global(d.slot.index);
    global = is_given ? lang::read_variable(machine, values, *d.type, d.name, source.where(s.id))
                      : machine.unset_value(*d.type);  // to be drawn
    if (is_given) check_given(machine, source, values, d, global);
    const std::vector<Value> parts = lang::leaf_values(global);
    std::size_t k = 0;
    for (const lang::Leaf& leaf : lang::leaves_of(machine, *d.type, d.name)) {
      const lang::ConstraintPlan plan = lang::plan_constraint(machine, *leaf.type, leaf.name);
      const Value& value = parts[k++];
      const auto drawn = [&] {
        const auto begin = fill.begin() + ssize(free);
        return std::vector<double>(begin, begin + lang::free_size(plan));
      };
      const std::vector<double> part =
          is_given ? lang::unconstrain(plan, value, leaf.name) : drawn();
      free.insert(free.end(), part.begin(), part.end());
    }
  };
  try {
    for_each_declaration(source.program.parameters, add);
    if (!draws_discrete) return free;
    const std::vector<double> sites = sites_of(machine, data, values, fill);
    free.insert(free.end(), sites.begin(), sites.end());
  } catch (const lang::Rejection& r) {
    rejected_for_good(source, r, ErrorCode::data);
  }
  return free;
}

std::vector<double> Parameters::sites_of(Machine& machine, const ProgramData& data,
                                         const io::DataTable& values,
                                         std::span<const double> fill) const {
  std::vector<double> sites;
  const auto add = [&](const typed::Statement& s, const typed::Declaration& d) {
    machine.enter(s);
    if (!lang::is_int_based(d.type->type)) return;
    const Index size = lang::size_of(machine.unset_value(*d.type));
    const bool drawn = !fill.empty() && values.find(d.name) == nullptr;
    Value given;
    if (!drawn)
      given = lang::read_variable(machine, values, *d.type, d.name, data.source().where(s.id));
    for (Index i = 0; i < size; ++i) {
      const std::size_t m = sites.size();
      sites.push_back(drawn ? fill[static_cast<std::size_t>(dimension()) + m]
                            : lang::scalar_of(given, i).known);
      if (sites[m] < discrete_.lower[m] || sites[m] > discrete_.upper[m]) {
        machine.fail(fmt::format("{} is {}, must be in {}..{}",
                                 discrete_.layout.element_name(static_cast<Index>(m)), sites[m],
                                 discrete_.lower[m], discrete_.upper[m]));
      }
    }
  };
  for_each_declaration(data.source().program.parameters, add);
  return sites;
}

}  // namespace credo::model
