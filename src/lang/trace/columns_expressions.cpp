// Expressions over columns.
#include "lang/trace/columns_masks.hpp"
#include "lang/trace/select_facts.hpp"

namespace credo::lang {

Value Columns::evaluate_open(const typed::Expression& e) {
  m_.count_step();
  return std::visit([&](const auto& node) { return eval(node, e); }, e.node);
}

// Rows that differ run in groups; those of a group have one value, which is a column still.
std::int32_t Columns::evaluate_int(const typed::Expression& e) {
  const Value value = evaluate(e);
  if (value.is_int()) return value.integer();
  const IntColumn keys = int_element(value, 0);
  const auto differs = std::adjacent_find(keys->begin(), keys->end(), std::not_equal_to<>());
  if (differs == keys->end() && !keys->empty()) return keys->front();
  throw SplitRows{keys, at_->id};
}

// The variable, seen from this context.
Value& Columns::slot_here(typed::Slot slot) {
  Value& value = m_.slot(slot);
  if (value.is_column() && value.column().context != at_->id) value = here(value.column());
  return value;
}

Value Columns::variable(typed::Slot slot) {
  const Value& value = slot_here(slot);
  if (value.is_unset()) abandon("a value is carried from one round to the next");
  if (is_settled_elsewhere(key_of(slot))) abandon("a container that the loop writes is read whole");
  if (value.is_whole()) return drawn_value(m_.expr(value));
  return gated(value);
}

Value Columns::eval(const typed::Promotion& n, const typed::Expression& e) {
  if (contains_complex(e.type)) abandon("complex numbers");
  const Value value = evaluate(*n.operand);
  if (!value.is_column()) return promoted_to_real(value);
  const Column& ints = value.column();
  if (!ints.is_integer()) return value;
  Column reals{.base = BaseType::real, .dims = ints.dims, .context = at_->id, .width = at_->width};
  if (ints.size() > 64) abandon("values of many elements in every round");
  for (Index k = 0; k < ints.size(); ++k) reals.reals.push_back(element(value, k));
  return column_value(std::move(reals));
}

Value Columns::eval(const typed::Conditional& n, const typed::Expression& e) {
  const Value condition = evaluate(*n.condition);
  if (condition.is_int()) return evaluate(condition.integer() != 0 ? *n.if_true : *n.if_false);
  if (is_drawn(condition, 0)) return choose(n, condition);
  IntList outcomes = *int_element(condition, 0);
  for (std::int32_t& outcome : outcomes) outcome = outcome != 0 ? 1 : 0;
  std::vector<Value> values;
  const IntColumn keys = int_column(std::move(outcomes));
  partition(keys, facts(e), [&](std::int32_t outcome) {
    values.push_back(evaluate(outcome != 0 ? *n.if_true : *n.if_false));
    return Flow::next;
  });
  return values.size() == 1 ? values[0] : merged(values, groups_of(*keys), nullptr);
}

Value Columns::eval(const typed::ShortCircuit& n, const typed::Expression& e) {
  const Value left = truth(evaluate(*n.left));
  if (left.is_int()) {
    const bool decided = (left.integer() != 0) != n.is_and;
    return decided ? left : truth(evaluate(*n.right));
  }
  if (is_drawn(left, 0)) return join(n, left);
  const IntColumn keys = int_element(left, 0);
  std::vector<Value> values;
  partition(keys, facts(e), [&](std::int32_t known) {
    const bool decided = (known != 0) != n.is_and;
    values.push_back(decided ? Value(known) : truth(evaluate(*n.right)));
    return Flow::next;
  });
  return merged(values, groups_of(*keys), nullptr);
}

// ---- literals of containers

Value Columns::joined(std::span<const Value> elements, BaseType base) {
  Column all{.base = base, .dims = {ssize(elements)}, .context = at_->id, .width = at_->width};
  const Dims inner = row_dims(elements[0]);
  if (inner.count == Dims::kMax) abandon("an array has too many dimensions");
  for (int d = 0; d < inner.count; ++d) all.dims.push(inner[d]);
  for (const Value& element : elements) {
    if (!(row_dims(element) == inner)) abandon("elements of an array have different sizes");
    const Value parts = apart(element);
    const Column& column = parts.column();
    all.ints.insert(all.ints.end(), column.ints.begin(), column.ints.end());
    all.reals.insert(all.reals.end(), column.reals.begin(), column.reals.end());
  }
  return column_value(std::move(all));
}

Value Columns::eval(const typed::ArrayLiteral& n, const typed::Expression& e) {
  const std::vector<Value> elements = evaluate_all(n.elements);
  if (elements[0].is_tuple()) abandon("an array of tuples");
  const bool integers = is_int_based(elements[0]);
  return joined(elements, integers                           ? BaseType::integer
                          : row_dims(elements[0]).count == 0 ? BaseType::real
                                                             : e.type.base);
}

Value Columns::eval(const typed::RowVectorLiteral& n, const typed::Expression& e) {
  if (contains_complex(e.type) || n.elements.empty()) abandon("a literal that columns don't know");
  const std::vector<Value> elements = evaluate_all(n.elements);
  std::vector<Value> reals;
  for (const Value& v : elements)
    reals.push_back(is_int_based(v) ? scalar_value(element(v, 0)) : v);
  return joined(reals, BaseType::row_vector);
}

// ---- decisions on parameters that differ between rows: both sides run for all rows, each with a mask of the rows
// that take it, and variables become selects by row (docs/design/selects.md, docs/design/columns.md)

Columns::Side::Side(Columns& columns, const Expr& which, bool gated)
    : columns_(columns), before_(columns.mask_), checks_before_(columns.m_.checks_->mask) {
  Mask& mask = columns_.mask_;
  if (before_.rows.empty()) mask.around = checks_before_;
  mask.rows = before_.rows.empty() ? which : before_.rows * which;
  mask.any = mask.rows.is_scalar() ? mask.rows : graph::max_element(mask.rows);
  mask.gated = before_.gated || (gated && columns_.m_.options_.differentiable);
  columns_.m_.checks_->mask = mask.around.empty() ? mask.rows : mask.around * mask.rows;
  if (!mask.gated) return;
  graph::Graph& graph = *columns_.m_.graph_;
  graph::Gates* const around = graph.gates;
  gates_.emplace(graph, mask.any);
  graph.gates = around;  // the gates apply only to values that are the same in all rows
  columns_.gates_.push_back(&*gates_);
}

Columns::Side::~Side() {
  if (gates_) columns_.gates_.pop_back();
  columns_.mask_ = before_;
  columns_.m_.checks_->mask = checks_before_;
}

// Values that are the same in all rows are needed if any row takes the side.
Columns::Invariant::Invariant(Columns& columns)
    : machine_(columns.m_), mask_before_(machine_.checks_->mask), gates_before_(nullptr) {
  const Mask& mask = columns.mask_;
  if (machine_.graph_ != nullptr) gates_before_ = machine_.graph_->gates;
  if (mask.rows.empty()) return;
  machine_.checks_->mask = mask.around.empty() ? mask.any : mask.around * mask.any;
  if (mask.gated) machine_.graph_->gates = columns.gates_.back();
}

Columns::Invariant::~Invariant() {
  machine_.checks_->mask = mask_before_;
  if (machine_.graph_ != nullptr) machine_.graph_->gates = gates_before_;
}

Expr Columns::gate(const Expr& x) const {
  return x.empty() || x.is_constant() ? x : graph::select(mask_.rows, x, 1.0);
}

bool Columns::is_data(const Value& value) const {
  const Value& container = value.is_column() ? value.column().source : value;
  if (!container.is_reals()) return false;
  RealArray& array = *container.reals();
  return array.is_packed() && array.whole(m_.graph_).is_constant();
}

// The value behind a gate, so that derivatives of rows that don't take the side stop here. Containers that are the
// same in all rows are gated when rows use them.
Value Columns::gated(const Value& value) {
  if (!mask_.gated || value.is_unset() || is_int_based(value)) return value;
  if (value.is_real()) return value.real().is_known() ? value : scalar_value(gate(m_.expr(value)));
  if (!value.is_column()) return value;
  if (value.column().is_rows()) return is_data(value) ? value : gated(apart(value));
  Column result = value.column();
  for (Expr& x : result.reals) x = gate(x);
  return column_value(std::move(result));
}

namespace {
bool is_finite(const Expr& x) {
  const auto values = x.values();
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}
}  // namespace

// Gates the elements of the arguments. Not needed for products of finite data with a vector: these can be computed
// outside the side, so only their result must be gated; then true is returned.
bool Columns::gate_arguments(std::string_view name, std::span<Value> arguments) {
  if (!mask_.gated) return false;
  const bool is_product = name == "multiply" || name == "dot_product";
  const auto is_plain = [&](const Value& v) {
    return is_data(v) &&
           is_finite((v.is_column() ? v.column().source : v).reals()->whole(m_.graph_));
  };
  const bool has_data = std::any_of(arguments.begin(), arguments.end(), is_plain);
  for (Value& v : arguments) {
    if (!v.is_reals() || is_data(v)) continue;
    if (is_product && has_data) return true;
    v = gated(apart(v));
  }
  return false;
}

// The value in rows that take the side, 0 in other rows.
Value Columns::where_taken(const Value& value) {
  if (!is_masked()) return value;
  if (!value.is_column() && row_dims(value).count > 0) {
    const Expr sum = graph::sum(m_.expr(value));
    return scalar_value(graph::select(mask_.rows, sum, 0.0));
  }
  const Index count = row_dims(value).total();
  Column result{
      .base = BaseType::real, .dims = row_dims(value), .context = at_->id, .width = at_->width};
  for (Index k = 0; k < count; ++k)
    result.reals.push_back(spread(graph::select(mask_.rows, element(value, k), 0.0), at_->width));
  return column_value(std::move(result));
}

// ---- choices

Value Columns::selected(const Expr& which, const Value& a, const Value& b) {
  if (same_value(a, b)) return a;
  const Value x = apart(a), y = apart(b);
  const Column &yes = x.column(), &no = y.column();
  if (!(yes.dims == no.dims)) abandon("values of rounds have different sizes");
  if (yes.is_integer() != no.is_integer()) abandon("values of different types");
  if (yes.is_integer() && m_.options_.differentiable)
    abandon("whole numbers that depend on parameters");
  Column result{.base = yes.base, .dims = yes.dims, .context = at_->id, .width = at_->width};
  const auto size = static_cast<std::size_t>(yes.size());
  if (yes.is_integer()) result.ints.resize(size);
  result.reals.resize(size);
  for (std::size_t k = 0; k < size; ++k) {
    const auto place = static_cast<Index>(k);
    const bool is_known = yes.is_integer() && !yes.is_drawn(place) && !no.is_drawn(place);
    if (is_known && yes.ints[k] == no.ints[k]) {
      result.ints[k] = yes.ints[k];
      continue;
    }
    if (yes.is_integer() && is_known) abandon("whole numbers that depend on parameters");
    if (!yes.is_integer() && (yes.reals[k].empty() || no.reals[k].empty())) {
      if (yes.reals[k].empty() && no.reals[k].empty()) continue;
      abandon("an element is set in some rounds only");
    }
    const Expr value = graph::select(which, element(x, place), element(y, place));
    result.reals[k] = yes.is_integer() ? spread(value, at_->width) : value;
  }
  if (yes.is_integer() && std::all_of(result.reals.begin(), result.reals.end(),
                                      [](const Expr& e) { return e.empty(); }))
    result.reals.clear();
  return column_value(std::move(result));
}

// The value of a variable after both sides; unset if one side leaves it unset.
Value Columns::selected(const Expr& which, const SlotKey& key, const Value& a, const Value& b) {
  if (!a.is_unset() && !b.is_unset()) return selected(which, a, b);
  for (Context* c = at_; c != nullptr && !(a.is_unset() && b.is_unset()); c = c->outer) {
    if (c->carried.contains(key)) c->partly_set.insert(key);
  }
  return {};
}

Columns::Condition Columns::condition_of(const Value& value) {
  if (m_.options_.selects == Selects::none) abandon("a decision on parameters in every round");
  const Expr no = graph::equal(element(value, 0), 0.0);
  return {1.0 - no, no};
}

// `rest`: the statements after the branch, if one side leaves the function.
Columns::Flow Columns::choose(const typed::If& s, const Value& condition,
                              std::span<const typed::Statement> rest) {
  const Condition which = condition_of(condition);
  const bool gates = !m_.select_facts(s).total || !rest.empty();
  Facts touched = facts(*s.if_true);
  const auto touch = [&](const typed::Statement& more) {
    for (const SlotUse& use : facts(more).slots) touched.slots.push_back(use);
  };
  if (s.if_false) touch(*s.if_false);
  for (const typed::Statement& more : rest) touch(more);
  const std::vector<SlotUse> assigned = assigned_here(touched);
  const std::size_t num_terms = m_.terms.size();
  const Saved saved = save(touched);
  std::array<std::vector<Value>, 2> after;  // last entry: the function's result
  std::array<Flow, 2> flows{};
  for (const std::size_t k : {0, 1}) {
    const Side side(*this, k == 0 ? which.yes : which.no, gates);
    const typed::Statement* const body = k == 0 ? s.if_true.get() : s.if_false.get();
    flows[k] = body != nullptr ? execute(*body) : Flow::next;
    if (flows[k] == Flow::next) flows[k] = execute_all(rest);
    for (const SlotUse& use : assigned) after[k].push_back(m_.slot(use.slot));
    after[k].push_back(std::exchange(m_.frame_->result, {}));
    restore(saved);
  }
  if (flows[0] != flows[1]) abandon("rounds take different paths");
  if (m_.options_.apart && m_.terms.size() != num_terms) abandon("rows of one side of a decision");
  for (std::size_t k = 0; k < assigned.size(); ++k)
    m_.slot(assigned[k].slot) =
        selected(which.yes, key_of(assigned[k].slot), after[0][k], after[1][k]);
  if (flows[0] == Flow::leave_function && !after[0].back().is_unset())
    m_.frame_->result = selected(which.yes, after[0].back(), after[1].back());
  return flows[0];
}

Value Columns::choose(const typed::Conditional& n, const Value& condition) {
  const Condition which = condition_of(condition);
  const bool gates = !is_total(n);
  const auto evaluated = [&](const typed::Expression& e, const Expr& mask) {
    const Side side(*this, mask, gates);
    return evaluate(e);
  };
  const Value yes = evaluated(*n.if_true, which.yes), no = evaluated(*n.if_false, which.no);
  return selected(which.yes, yes, no);
}

Value Columns::decided_value(Expr x) {
  Column result = drawn_value(std::move(x)).column();
  result.is_decided = true;
  return column_value(std::move(result));
}

Value Columns::truth(const Value& value) {
  if (value.is_int()) return value.integer() != 0 ? 1 : 0;
  if (is_drawn(value, 0)) return decided_value(condition_of(value).yes);
  IntList truth = *int_element(value, 0);
  for (std::int32_t& t : truth) t = t != 0 ? 1 : 0;
  return int_value(int_column(std::move(truth)));
}

Value Columns::join(const typed::ShortCircuit& n, const Value& left) {
  const Condition which = condition_of(left);
  Value right;
  {
    const Side side(*this, n.is_and ? which.yes : which.no, false);
    right = truth(evaluate(*n.right));
  }
  const Expr b = element(right, 0);
  return decided_value(n.is_and ? graph::select(which.yes, b, 0.0)
                                : graph::select(which.yes, 1.0, b));
}

// ---- early returns

namespace {
bool leaves(const typed::Statement* s) {
  if (s == nullptr) return false;
  if (std::holds_alternative<typed::Return>(s->node)) return true;
  if (const auto* all = std::get_if<typed::Sequence>(&s->node))
    return !all->statements.empty() && leaves(&all->statements.back());
  const auto* branch = std::get_if<typed::If>(&s->node);
  return branch != nullptr && leaves(branch->if_true.get()) && leaves(branch->if_false.get());
}
}  // namespace

// Runs a branch of which one side leaves the function, and the statements after it. Empty for other statements.
std::optional<Columns::Flow> Columns::leave_early(const typed::Statement& s,
                                                  std::span<const typed::Statement> rest) {
  const auto* branch = std::get_if<typed::If>(&s.node);
  if (branch == nullptr || leaves(branch->if_true.get()) == leaves(branch->if_false.get()))
    return std::nullopt;
  m_.count_step();
  m_.enter(s.id);
  const Value condition = evaluate(branch->condition);
  if (is_drawn(condition, 0)) return choose(*branch, condition, rest);
  const Flow flow = branch_by(*branch, condition);
  return flow == Flow::next ? execute_all(rest) : flow;
}

}  // namespace credo::lang
