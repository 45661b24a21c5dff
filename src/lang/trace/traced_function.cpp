#include "lang/trace/traced_function.hpp"

namespace credo::lang {

TracedFunction::TracedFunction(const Machine& machine, const typed::FunctionName& name)
    : program_(&machine.program()),
      options_(machine.options()),
      locate_(machine.locate),
      name_(name),
      statement_(machine.statement()) {
  options_.seed.reset();
  options_.differentiable = true;  // the traced graph doesn't depend on the caller
  options_.print = {};
  options_.watch = {};
  options_.first_site = -1;
  options_.solvers = nullptr;  // the traced graph is kept there: it would keep itself
}

Machine TracedFunction::machine(graph::Graph& graph, graph::NodeId input,
                                std::span<const double> point) const {
  Machine inner(*program_, options_);
  inner.locate = locate_;
  inner.trace_into(graph, input, point);
  inner.enter(statement_);
  return inner;
}

Value TracedFunction::call(Machine& machine, std::vector<Value> arguments) const {
  return machine.call_passed(name_, std::move(arguments), ~std::uint64_t{0});
}

std::int32_t RoutineArguments::number(const Scalar& scalar) {
  const bool interpreting = machine_.graph() == nullptr;
  if (scalar.is_known() && !interpreting) return -1;
  const auto next = static_cast<std::int32_t>(scalars_.size());
  if (!interpreting) {
    const auto [place, is_new] = known_.try_emplace({scalar.ref.node, scalar.ref.element}, next);
    if (!is_new) return place->second;
  }
  scalars_.push_back(scalar);
  return next;
}

Expr RoutineArguments::vector() const {
  const graph::Shape shape = graph::vector_shape(count());
  std::vector<Expr> elements;
  for (const Scalar& scalar : scalars_) elements.push_back(to_expr(scalar, machine_.graph()));
  if (machine_.graph() != nullptr && !elements.empty()) return graph::pack(shape, elements);
  std::vector<double> values;
  for (const Expr& element : elements) values.push_back(element.value());
  return graph::constant(shape, values);
}

std::vector<double> RoutineArguments::values() const {
  std::vector<double> result;
  for (const Scalar& scalar : scalars_) result.push_back(machine_.value_here(scalar));
  return result;
}

ValueTemplate::ValueTemplate(const Value& value, const Place& place) : pattern_(value) {
  if (value.is_int() || value.is_ints()) return;
  if (value.is_tuple()) {
    kind_ = Kind::tuple;
    for (const Value& part : value.tuple()->elements) parts_.emplace_back(part, place);
    return;
  }
  kind_ = value.is_real() ? Kind::scalar : Kind::reals;
  if (kind_ == Kind::reals) base_ = base_of(value), dims_ = dims_of(value);
  for (Index i = 0; i < size_of(value); ++i) {
    const Scalar scalar = scalar_of(value, i);
    reals_.push_back({scalar.known, place(scalar)});
  }
  pattern_ = {};
}

Value ValueTemplate::make(graph::NodeId input) const {
  if (kind_ == Kind::whole) return pattern_;
  if (kind_ == Kind::tuple) {
    auto tuple = std::make_shared<TupleValue>();
    for (const ValueTemplate& part : parts_) tuple->elements.push_back(part.make(input));
    return tuple;
  }
  std::vector<Scalar> scalars;
  for (const Real& real : reals_) {
    Scalar scalar(real.known);
    if (real.place >= 0) scalar.ref = {input, real.place};
    scalars.push_back(scalar);
  }
  return kind_ == Kind::scalar ? Value(scalars[0]) : make_reals(base_, dims_, std::move(scalars));
}

void ValueTemplate::append_key(std::vector<double>& key) const {
  for (const ValueTemplate& part : parts_) part.append_key(key);
  if (kind_ == Kind::whole) {
    if (pattern_.is_int()) return key.push_back(pattern_.integer());
    key.push_back(static_cast<double>(size_of(pattern_)));
    for (const std::int32_t value : pattern_.ints()->values) key.push_back(value);
    return;
  }
  key.push_back(static_cast<double>(reals_.size()));
  for (int d = 0; d < dims_.count; ++d) key.push_back(static_cast<double>(dims_[d]));
  for (const Real& real : reals_) key.push_back(real.place < 0 ? real.known : -real.place);
}

}  // namespace credo::lang
