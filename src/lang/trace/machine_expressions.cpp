// Expressions, one function each.
#include <fmt/format.h>

#include "base/error.hpp"
#include "lang/trace/builtins.hpp"
#include "lang/trace/indexing.hpp"
#include "lang/trace/machine.hpp"

namespace credo::lang {

Value Machine::eval(const std::monostate&, const typed::Expression&) {
  fail("an expression without a node");
}
Value Machine::eval(const typed::ImaginaryLiteral&, const typed::Expression&) {
  fail("complex numbers are not implemented yet");
}
Value Machine::eval(const typed::StringLiteral&, const typed::Expression&) {
  fail("a string has no value");
}
Value Machine::eval(const typed::FunctionName&, const typed::Expression&) {
  return {};  // the call's own node says which (lang/trace/callable.hpp)
}

Value Machine::eval(const typed::Promotion& n, const typed::Expression& e) {
  if (contains_complex(e.type)) fail("complex numbers are not implemented yet");
  return promoted_to_real(evaluate_open(*n.operand));
}

Value Machine::eval(const typed::Conditional& n, const typed::Expression&) {
  const Value condition = evaluate_open(*n.condition);
  if (condition.is_whole()) {
    if (auto value = try_select(n, condition)) return *std::move(value);
  }
  return evaluate_open(integer(condition) != 0 ? *n.if_true : *n.if_false);
}

Value Machine::eval(const typed::ShortCircuit& n, const typed::Expression&) {
  const Value left = evaluate_open(*n.left);
  if (left.is_whole()) {
    if (auto value = try_join(n, left)) return *std::move(value);
  }
  const bool known = integer(left) != 0;
  if (known != n.is_and) return known ? 1 : 0;
  const Value right = evaluate_open(*n.right);
  return right.is_whole() ? truth(right) : Value(right.integer() != 0 ? 1 : 0);
}

Value Machine::eval(const typed::Projection& n, const typed::Expression&) {
  return evaluate(*n.base).tuple()->elements[static_cast<std::size_t>(n.element)];
}

Value Machine::eval(const typed::TupleLiteral& n, const typed::Expression&) {
  auto tuple = std::make_shared<TupleValue>();
  for (const auto& element : n.elements) tuple->elements.push_back(evaluate(element));
  return tuple;
}

// ---- literals of containers

namespace {
Value array_of_scalars(std::span<const Value> elements) {
  const Dims dims{ssize(elements)};
  if (base_of(elements[0]) == BaseType::integer) {
    Value array = make_ints(dims, std::vector<std::int32_t>(elements.size()));
    for (std::size_t i = 0; i < elements.size(); ++i)
      array.ints()->set(static_cast<Index>(i), elements[i]);
    return array;
  }
  std::vector<Scalar> scalars;
  for (const Value& element : elements) scalars.push_back(scalar_of(element));
  return make_reals(BaseType::real, dims, std::move(scalars));
}

Dims dims_around(const Value& element, Index count) {
  Dims dims{count};
  const Dims inner = dims_of(element);
  for (int d = 0; d < inner.count; ++d) dims.push(inner[d]);
  return dims;
}
}  // namespace

Value Machine::eval(const typed::ArrayLiteral& n, const typed::Expression& e) {
  std::vector<Value> elements;
  for (const auto& element : n.elements) elements.push_back(evaluate_open(element));
  if (!elements[0].is_scalar()) {
    for (Value& element : elements) element = closed(std::move(element));
  }
  if (elements[0].is_tuple()) fail("arrays of tuples are not implemented yet");
  if (elements[0].is_scalar()) return array_of_scalars(elements);
  for (const Value& element : elements) {
    if (dims_of(element) == dims_of(elements[0])) continue;
    fail(fmt::format("elements of an array have sizes {} and {}, but must have one size",
                     lang::to_string(dims_of(elements[0])), lang::to_string(dims_of(element))));
  }
  if (dims_of(elements[0]).count == Dims::kMax)
    fail(fmt::format("the array has more than {} dimensions", Dims::kMax));
  const Dims dims = dims_around(elements[0], ssize(elements));
  if (elements[0].is_ints()) {
    std::vector<std::int32_t> values;
    for (const Value& v : elements)
      values.insert(values.end(), v.ints()->values.begin(), v.ints()->values.end());
    return make_ints(dims, std::move(values));
  }
  std::vector<Expr> parts;
  for (const Value& element : elements) parts.push_back(expr(element));
  return from_expr(graph::concat(shape_of(e.type.base, dims), parts), e.type.base, dims);
}

Value Machine::eval(const typed::RowVectorLiteral& n, const typed::Expression& e) {
  if (contains_complex(e.type)) fail("complex numbers are not implemented yet");
  std::vector<Scalar> scalars;
  for (const auto& element : n.elements) scalars.push_back(scalar_of(evaluate(element)));
  const Dims dims{ssize(scalars)};  // before the move: arguments have no order
  return make_reals(BaseType::row_vector, dims, std::move(scalars));
}

Value Machine::eval(const typed::MatrixLiteral& n, const typed::Expression& e) {
  if (contains_complex(e.type)) fail("complex numbers are not implemented yet");
  std::vector<Value> rows;
  for (const auto& row : n.rows) rows.push_back(evaluate(row));
  const Index cols = size_of(rows[0]);
  std::vector<Scalar> scalars;
  for (Index j = 0; j < cols; ++j) {
    for (const Value& row : rows) {
      if (size_of(row) != cols)
        fail(fmt::format("rows of a matrix have sizes {} and {}", cols, size_of(row)));
      scalars.push_back(scalar_of(row, j));
    }
  }
  return make_reals(BaseType::matrix, {ssize(rows), cols}, std::move(scalars));
}

// ---- indexing

namespace {
// A dimension of the indexed container.
struct Dimension {
  Index size;
  SourceRange of;
};

std::int32_t checked_index(const Machine& machine, Index index, Dimension dimension) {
  if (index < 1 || index > dimension.size) machine.fail_index(index, dimension.size, dimension.of);
  return static_cast<std::int32_t>(index - 1);
}
bool is_single(const typed::IndexArgument& index) { return index.kind == typed::IndexKind::single; }

Selection range_selection(Machine& machine, const typed::IndexArgument& index,
                          Dimension dimension) {
  const Index first = index.first ? machine.evaluate_int(*index.first) : 1;
  const Index last = index.last ? machine.evaluate_int(*index.last) : dimension.size;
  Selection selection;
  if (last < first) return selection;  // empty, whatever the ends are (7.6)
  checked_index(machine, first, dimension);
  checked_index(machine, last, dimension);
  for (Index i = first; i <= last; ++i)
    selection.places.push_back(static_cast<std::int32_t>(i - 1));
  return selection;
}

Selection evaluate_index(Machine& machine, const typed::IndexArgument& index, Dimension dimension) {
  Selection selection;
  switch (index.kind) {
    case typed::IndexKind::single:
      selection.single = true;
      selection.places = {checked_index(machine, machine.evaluate_int(*index.first), dimension)};
      break;
    case typed::IndexKind::multi: {
      const Value places = machine.evaluate(*index.first);
      for (const std::int32_t i : places.ints()->values)
        selection.places.push_back(checked_index(machine, i, dimension));
      break;
    }
    case typed::IndexKind::range:
      return range_selection(machine, index, dimension);
    case typed::IndexKind::all:
      return whole_dimension(dimension.size);
  }
  return selection;
}
}  // namespace

std::vector<Selection> evaluate_indices(Machine& machine, const Dims& dims,
                                        std::span<const typed::IndexArgument> indices,
                                        SourceRange of) {
  std::vector<Selection> selections;
  for (int d = 0; d < dims.count; ++d) {
    const auto k = static_cast<std::size_t>(d);
    if (k < indices.size()) {
      selections.push_back(evaluate_index(machine, indices[k], {dims[d], of}));
    } else {
      selections.push_back(whole_dimension(dims[d]));
    }
  }
  return selections;
}

Value Machine::index(const Value& container, std::span<const typed::IndexArgument> indices,
                     SourceRange of) {
  if (container.is_tuple()) fail("arrays of tuples are not implemented yet");
  if (std::all_of(indices.begin(), indices.end(), is_single))
    return index_singles(container, indices, of);
  const Dims dims = dims_of(container);
  if (dims.count == 1 && indices[0].kind == typed::IndexKind::multi) {
    const Value places = evaluate_open(*indices[0].first);
    if (is_open(places)) return pick_each(container, *places.ints(), of);
  }
  return read(container,
              select(base_of(container), dims, evaluate_indices(*this, dims, indices, of)), graph_);
}

// The common case, without index lists.
Value Machine::index_singles(const Value& container, std::span<const typed::IndexArgument> indices,
                             SourceRange of) {
  const Dims dims = dims_of(container);
  std::array<std::int32_t, Dims::kMax> places{};
  std::array<Whole, Dims::kMax> open{};
  bool any_open = false;
  for (std::size_t d = 0; d < indices.size(); ++d) {
    const Value at = evaluate_open(*indices[d].first);
    const Index size = dims[static_cast<int>(d)];
    if (at.is_whole()) {
      require_inside(at.whole(), size, of);
      open[d] = at.whole();
      any_open = true;
    } else {
      places[d] = checked_index(*this, at.integer(), {size, of});
    }
  }
  const auto singles = std::span<const std::int32_t>(places).first(indices.size());
  if (any_open) return pick(container, singles, open);
  const auto part = contiguous_part(base_of(container), dims, singles);
  if (part) return read(container, *part, graph_);
  std::vector<Selection> selections;
  for (const std::int32_t place : singles) selections.push_back({true, {place}});
  selections.push_back(whole_dimension(dims.back()));
  return read(container, select(base_of(container), dims, selections), graph_);
}

Value Machine::eval(const typed::Indexed& n, const typed::Expression& e) {
  // A variable is read in place; copying the handle would make the next write copy the container.
  if (const auto* use = std::get_if<typed::VariableUse>(&n.base->node)) {
    if (options_.before_read && !use->slot.local) options_.before_read(use->slot.index, e);
    return index(slot(use->slot), n.indices, n.base->range);
  }
  return index(evaluate(*n.base), n.indices, n.base->range);
}

// ---- text of print and reject

namespace {
// A scalar as the machine knows it: at the reference point where it depends on parameters.
using NumberOf = std::function<double(const Scalar&)>;

std::string value_text(const Value& value, const NumberOf& number, Index begin, int d) {
  const Dims dims = dims_of(value);
  std::string text = "[";
  Index step = 1;
  for (int k = d + 1; k < dims.count; ++k) step *= dims[k];
  for (Index i = 0; i < dims[d]; ++i) {
    if (i > 0) text += ",";
    if (d + 1 < dims.count) {
      text += value_text(value, number, begin + i * step, d + 1);
    } else {
      text += value.is_ints()
                  ? fmt::format("{}", value.ints()->values[static_cast<std::size_t>(begin + i)])
                  : fmt::format("{:.6g}", number(scalar_of(value, begin + i)));
    }
  }
  return text + "]";
}

// Matrices are stored by columns and printed by rows.
Value rows_first(const Value& value) {
  if (base_of(value) != BaseType::matrix) return value;
  const Dims dims = dims_of(value);
  const Index rows = dims.back(1), cols = dims.back(),
              matrices = dims.total() / std::max<Index>(rows * cols, 1);
  std::vector<Scalar> scalars;
  for (Index m = 0; m < matrices; ++m) {
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < cols; ++j)
        scalars.push_back(scalar_of(value, m * rows * cols + i + j * rows));
    }
  }
  return make_reals(BaseType::matrix, dims, std::move(scalars));
}

std::string text_of_value(const Value& value, const NumberOf& number) {
  if (value.is_int()) return fmt::format("{}", value.integer());
  if (value.is_real()) return fmt::format("{:.6g}", number(value.real()));
  if (!value.is_tuple()) return value_text(rows_first(value), number, 0, 0);
  std::string text = "(";
  for (const Value& element : value.tuple()->elements) {
    text += (text.size() > 1 ? "," : "") + text_of_value(element, number);
  }
  return text + ")";
}
}  // namespace

bool Machine::is_known(const typed::Expression& argument) {
  if (std::holds_alternative<typed::StringLiteral>(argument.node)) return true;
  const Value value = evaluate_open(argument);
  if (is_open(value) || value.is_tuple()) return false;
  for (Index i = 0; i < size_of(value); ++i) {
    if (!scalar_of(value, i).is_known()) return false;
  }
  return true;
}

std::string Machine::text_of(const typed::Expression& argument) {
  if (const auto* literal = std::get_if<typed::StringLiteral>(&argument.node))
    return literal->value;
  return text_of_value(evaluate(argument), [this](const Scalar& s) {
    return s.is_known() ? s.known : point_->value(s.ref);
  });
}

}  // namespace credo::lang
