// Indexing over columns: which elements of a container each row picks.
#include "lang/trace/columns.hpp"
#include "lang/trace/indexing.hpp"

namespace credo::lang {
namespace {
IntList counted(Index count) {
  IntList places(static_cast<std::size_t>(count));
  std::iota(places.begin(), places.end(), 0);
  return places;
}
}  // namespace

// If an index is out of range, the loop is left to the machine, which reports it.
Columns::Plan Columns::plan_indices(BaseType base, const Dims& dims, const Indices& indices) {
  Plan plan;
  const auto strides = strides_of(base, dims);
  for (int d = 0; d < dims.count; ++d) {
    const auto k = static_cast<std::size_t>(d);
    const bool given = k < indices.size();
    Selection all{false, given ? IntList{} : counted(dims[d])};
    plan.selections.push_back(given ? plan_index(*indices[k], dims[d], strides[k], plan)
                                    : std::move(all));
  }
  return plan;
}

// begin += (index - 1) stride
void Columns::add_places(const Value& index, Index size, Index stride, Plan& plan) {
  const IntColumn places = int_element(index, 0);
  IntList begin = plan.begin ? *plan.begin : IntList(places->size(), 0);
  for (std::size_t i = 0; i < begin.size(); ++i) {
    const std::int32_t place = (*places)[i];
    if (place < 1 || place > size) abandon("an index is out of range");
    begin[i] += (place - 1) * static_cast<std::int32_t>(stride);
  }
  plan.begin = int_column(std::move(begin));
}

Selection Columns::plan_index(const typed::IndexArgument& index, Index size, Index stride,
                              Plan& plan) {
  Selection selection;
  const auto checked = [&](std::int32_t i) {
    if (i < 1 || i > size) abandon("an index is out of range");
    return i - 1;
  };
  if (index.kind == typed::IndexKind::all) {
    selection.places = counted(size);
    return selection;
  }
  if (index.kind == typed::IndexKind::range) return plan_range(index, size, stride, plan);
  const Value value = evaluate(*index.first);
  selection.single = index.kind == typed::IndexKind::single;
  if (selection.single) {
    selection.places = {value.is_int() ? checked(value.integer()) : 0};
    if (!value.is_int()) add_places(value, size, stride, plan);
    return selection;
  }
  if (!value.is_column()) {
    for (const std::int32_t i : value.ints()->values) selection.places.push_back(checked(i));
    return selection;
  }
  if (!plan.varied.empty()) abandon("several lists of indices in every round");
  for (Index k = 0; k < row_dims(value).total(); ++k) {
    IntList places = *int_element(value, k);
    for (std::int32_t& i : places) i = checked(i) * static_cast<std::int32_t>(stride);
    plan.varied.push_back(int_column(std::move(places)));
    selection.places.push_back(0);
  }
  return selection;
}

Selection Columns::plan_range(const typed::IndexArgument& index, Index size, Index stride,
                              Plan& plan) {
  const Value first = index.first ? evaluate(*index.first) : Value(1);
  const Value last = index.last ? evaluate(*index.last) : Value(static_cast<std::int32_t>(size));
  IntList lengths = *int_element(last, 0);
  const IntList begins = *int_element(first, 0);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const bool out = lengths[i] >= begins[i] && lengths[i] > size;
    if (out) abandon("an index is out of range");
    lengths[i] = std::max(lengths[i] - begins[i] + 1, 0);
  }
  if (!all_equal(lengths)) throw SplitRows{int_column(std::move(lengths)), at_->id};
  Selection selection;
  selection.places = counted(lengths[0]);
  if (lengths[0] == 0) return selection;
  if (!first.is_int()) {
    add_places(first, size, stride, plan);
    return selection;
  }
  if (first.integer() < 1) abandon("an index is out of range");
  for (std::int32_t& place : selection.places) place += first.integer() - 1;
  return selection;
}

// ---- reading

Value Columns::eval(const typed::Indexed& n, const typed::Expression&) {
  const auto* use = std::get_if<typed::VariableUse>(&n.base->node);
  if (use == nullptr) return gated(index(evaluate(*n.base), n.indices, nullptr));
  const SlotKey key = key_of(use->slot);
  const Value container = slot_here(use->slot);
  if (container.is_unset()) abandon("a value is carried from one round to the next");
  return gated(index(container, n.indices, &key));
}

Value Columns::index(const Value& container, std::span<const typed::IndexArgument> indices,
                     const SlotKey* variable) {
  if (container.is_tuple()) abandon("an array of tuples");
  if (container.is_column()) return index_column(container.column(), indices);
  Indices all;
  for (const auto& i : indices) all.push_back(&i);
  const BaseType base = base_of(container);
  const Dims dims = dims_of(container);
  const Plan plan = plan_indices(base, dims, all);
  const Selected selected = select(base, dims, plan.selections);
  if (variable != nullptr && shared_by(*variable) != nullptr) {
    if (!plan.varied.empty()) abandon("a list of elements of a container that the loop writes");
    return read_shared(*variable, container, selected, plan.begin);
  }
  if (!plan.varied.empty()) return index_varied(container, plan, selected);
  if (plan.begin == nullptr || selected.positions.empty())
    return read(container, selected, m_.graph_);
  return index_rows(container, plan, selected);
}

Value Columns::index_rows(const Value& container, const Plan& plan, const Selected& selected) {
  const std::int32_t offset = selected.positions[0];
  if (selected.dims.count == 0) {
    return container.is_ints() ? int_value(taken_ints(container, *plan.begin, offset))
                               : scalar_value(taken_reals(container, *plan.begin, offset));
  }
  Column rows{
      .base = selected.base, .dims = selected.dims, .context = at_->id, .width = at_->width};
  rows.source = container;
  rows.begin = plan.begin;
  rows.offsets = selected.positions;
  return column_value(std::move(rows));
}

Value Columns::index_varied(const Value& container, const Plan& plan, const Selected& selected) {
  if (selected.dims.count != 1) abandon("a list of indices in every round beside a slice");
  std::vector<Value> elements;
  for (std::size_t k = 0; k < plan.varied.size(); ++k) {
    IntList places = *plan.varied[k];
    for (std::size_t i = 0; plan.begin != nullptr && i < places.size(); ++i)
      places[i] += (*plan.begin)[i];
    const std::int32_t offset = selected.positions[k];
    elements.push_back(container.is_ints() ? int_value(taken_ints(container, places, offset))
                                           : scalar_value(taken_reals(container, places, offset)));
  }
  return assembled(elements, selected.base, selected.dims);
}

Value Columns::assembled(std::span<const Value> scalars, BaseType base, const Dims& dims) {
  if (dims.count == 0) return scalars[0];
  Column column{.base = base, .dims = dims, .context = at_->id, .width = at_->width};
  for (const Value& v : scalars) {
    if (base == BaseType::integer) {
      column.ints.push_back(int_element(v, 0));
    } else {
      column.reals.push_back(element(v, 0));
    }
  }
  return column_value(std::move(column));
}

Value Columns::index_column(const Column& column, std::span<const typed::IndexArgument> indices) {
  Indices all;
  for (const auto& i : indices) all.push_back(&i);
  const Plan plan = plan_indices(column.base, column.dims, all);
  if (!plan.varied.empty()) abandon("a list of indices into a value of the round");
  const Selected selected = select(column.base, column.dims, plan.selections);
  if (plan.begin != nullptr) {
    std::vector<Value> elements;
    for (const std::int32_t position : selected.positions) {
      IntList places = *plan.begin;
      for (std::int32_t& p : places) p += position;
      elements.push_back(element_at(column, places));
    }
    return assembled(elements, selected.base, selected.dims);
  }
  Column part{.base = selected.base,
              .dims = selected.dims,
              .context = column.context,
              .width = column.width};
  part.source = column.source;
  part.begin = column.begin;
  for (const std::int32_t position : selected.positions) {
    const auto p = static_cast<std::size_t>(position);
    if (column.is_rows()) part.offsets.push_back(column.offsets[p]);
    if (!column.is_rows() && column.is_integer()) part.ints.push_back(column.ints[p]);
    if (!column.is_rows() && !column.is_integer()) part.reals.push_back(column.reals[p]);
  }
  if (part.dims.count > 0) return column_value(std::move(part));
  const Value scalar = column_value(std::move(part));
  return column.is_integer() ? int_value(int_element(scalar, 0)) : scalar_value(element(scalar, 0));
}

// Element places[i] of row i's value.
Value Columns::element_at(const Column& column, const IntList& places) {
  IntList positions(places.size());
  if (column.is_rows()) {
    for (std::size_t i = 0; i < places.size(); ++i)
      positions[i] = (*column.begin)[i] + column.offsets[static_cast<std::size_t>(places[i])];
    return column.is_integer() ? int_value(taken_ints(column.source, positions, 0))
                               : scalar_value(taken_reals(column.source, positions, 0));
  }
  if (column.is_integer()) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      const IntColumn& from = column.ints[static_cast<std::size_t>(places[i])];
      if (from == nullptr) abandon("an element is read that this round hasn't set");
      positions[i] = (*from)[i];
    }
    return int_value(int_column(std::move(positions)));
  }
  std::vector<Expr> parts;
  for (const Expr& x : column.reals) {
    if (x.empty()) abandon("an element is read that this round hasn't set");
    parts.push_back(spread(x, column.width));
  }
  for (std::size_t i = 0; i < places.size(); ++i)
    positions[i] =
        places[i] * static_cast<std::int32_t>(column.width) + static_cast<std::int32_t>(i);
  const graph::Shape shape = graph::vector_shape(column.width * ssize(parts));
  return scalar_value(taken(graph::concat(shape, parts), positions));
}

// Elements of a container whose elements the loop writes.
Value Columns::read_shared(const SlotKey& key, const Value& container, const Selected& selected,
                           const IntColumn& begin) {
  if (selected.positions.size() > 64) abandon("a long slice of a container that the loop writes");
  std::vector<Value> elements;
  for (const std::int32_t offset : selected.positions) {
    IntList positions(static_cast<std::size_t>(at_->width), offset);
    for (std::size_t i = 0; begin != nullptr && i < positions.size(); ++i)
      positions[i] += (*begin)[i];
    std::optional<Value> own = read_written(key, container, positions);
    if (!own) {
      own = container.is_ints() ? int_value(taken_ints(container, positions, 0))
                                : scalar_value(taken_reals(container, positions, 0));
    }
    elements.push_back(*std::move(own));
  }
  if (elements.empty()) return read(container, selected, m_.graph_);
  return assembled(elements, selected.base, selected.dims);
}

}  // namespace credo::lang
