// Expressions over columns.
#include "lang/trace/columns.hpp"

namespace credo::lang {

Value Columns::evaluate(const typed::Expression& e) {
  m_.count_step();
  return std::visit([&](const auto& node) { return eval(node, e); }, e.node);
}

// Rows that differ run in groups; those of a group have one value, which is a column still.
std::int32_t Columns::evaluate_int(const typed::Expression& e, std::string_view what) {
  const Value value = evaluate(e);
  if (value.is_int()) return value.integer();
  const IntColumn keys = int_element(value, 0);
  const auto differs = std::adjacent_find(keys->begin(), keys->end(), std::not_equal_to<>());
  if (differs == keys->end() && !keys->empty()) return keys->front();
  throw SplitRows{keys, at_->id};
  (void)what;
}

std::vector<Value> Columns::evaluate_all(std::span<const typed::Expression> all) {
  std::vector<Value> values;
  values.reserve(all.size());
  for (const auto& e : all) values.push_back(evaluate(e));
  return values;
}

// The variable, seen from this context.
Value& Columns::slot_here(typed::Slot slot) {
  Value& value = m_.slot(slot);
  if (value.is_column() && value.column().context != at_->id) value = here(value.column());
  return value;
}

Value Columns::eval(const typed::VariableUse& n, const typed::Expression&) {
  const Value& value = slot_here(n.slot);
  if (value.is_unset()) abandon("a value is carried from one round to the next");
  if (is_settled_elsewhere(key_of(n.slot)))
    abandon("a container that the loop writes is read whole");
  if (value.is_whole()) return drawn_value(m_.expr(value));
  return value;
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
  const auto as_truth = [&](const Value& value) {
    if (value.is_int()) return Value(value.integer() != 0 ? 1 : 0);
    IntList truth = *int_element(value, 0);
    for (std::int32_t& t : truth) t = t != 0 ? 1 : 0;
    return int_value(int_column(std::move(truth)));
  };
  const Value left = as_truth(evaluate(*n.left));
  if (left.is_int()) {
    const bool decided = (left.integer() != 0) != n.is_and;
    return decided ? left : as_truth(evaluate(*n.right));
  }
  const IntColumn keys = int_element(left, 0);
  std::vector<Value> values;
  partition(keys, facts(e), [&](std::int32_t truth) {
    const bool decided = (truth != 0) != n.is_and;
    values.push_back(decided ? Value(truth) : as_truth(evaluate(*n.right)));
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

}  // namespace credo::lang
