// Rows: groups of them that run by themselves, columns seen from another context, columns taken
// from containers.
#include "lang/trace/columns.hpp"

namespace credo::lang {
namespace {
constexpr std::size_t kMostGroups = 64;  // groups of rows that run one after the other
constexpr Index kMostElements = 64;      // of a value that is held as one column an element

bool is_run(const IntList& values, std::int32_t step) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != static_cast<std::int32_t>(i) * step) return false;
  }
  return true;
}
}  // namespace

// ---- groups

Columns::Groups Columns::groups_of(const IntList& keys) const {
  std::map<std::int32_t, std::size_t> place;
  Groups groups;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto [entry, is_new] = place.try_emplace(keys[i], groups.keys.size());
    if (is_new) {
      if (groups.keys.size() == kMostGroups) abandon("rounds take too many different paths");
      groups.keys.push_back(keys[i]);
      groups.rows.emplace_back();
    }
    groups.rows[entry->second].push_back(static_cast<std::int32_t>(i));
  }
  return groups;
}

// The variables that the statements assign and that are kept in their slot.
std::vector<SlotUse> Columns::assigned_here(const Facts& touched) const {
  std::vector<SlotUse> assigned;
  for (const SlotUse& use : touched.slots) {
    if (use.is_assigned() && !use.declared && !is_settled_elsewhere(key_of(use.slot)))
      assigned.push_back(use);
  }
  return assigned;
}

// Runs `body` for each group of rows with the same key. Afterwards each row has the variables of its own group.
Columns::Flow Columns::partition(const IntColumn& keys, const Facts& touched, const Body& body) {
  const Groups groups = groups_of(*keys);
  if (groups.keys.size() == 1) return body(groups.keys[0]);
  if (is_masked()) abandon("rows that differ within one side of a decision");
  const std::vector<SlotUse> assigned = assigned_here(touched);
  const Saved saved = save(touched);
  std::vector<Flow> flows;
  std::vector<std::vector<Value>> after(assigned.size() + 1);  // the last: a function's result
  for (std::size_t g = 0; g < groups.keys.size(); ++g) {
    Context group;
    group.rows = int_column(groups.rows[g]);
    flows.push_back(run_group(group, groups.keys[g], body));
    at_ = &group;
    for (std::size_t k = 0; k < assigned.size(); ++k) {
      const Value& value = m_.slot(assigned[k].slot);
      after[k].push_back(value.is_column() ? here(value.column()) : value);
    }
    after.back().push_back(m_.frame_->result);
    at_ = group.outer;
    restore(saved);
  }
  const Flow flow = merged_flow(flows, groups);
  if (flow == Flow::leave_function) m_.frame_->result = merged(after.back(), groups, nullptr);
  for (std::size_t k = 0; k < assigned.size(); ++k) {
    const SlotKey key = key_of(assigned[k].slot);
    m_.slot(assigned[k].slot) = merged(after[k], groups, &key);
  }
  return flow;
}

Columns::Flow Columns::run_group(Context& group, std::int32_t key, const Body& body) {
  group.outer = at_;
  group.id = next_context_++;
  group.width = ssize(*group.rows);
  group.loop = at_->loop;
  for (const std::int32_t row : draws() ? *group.rows : IntList())
    group.paths.push_back(at_->paths[static_cast<std::size_t>(row)]);
  group.loop_rows =
      at_->loop_rows ? int_column(composed(*at_->loop_rows, *group.rows)) : group.rows;
  at_ = &group;
  try {
    const Flow flow = body(key);
    at_ = group.outer;
    return flow;
  } catch (const SplitRows& split) {
    if (split.context != group.id) throw;
    at_ = group.outer;
    IntList keys(static_cast<std::size_t>(at_->width), 0);  // rows outside of the group are alike
    for (std::size_t i = 0; i < group.rows->size(); ++i)
      keys[static_cast<std::size_t>((*group.rows)[i])] = (*split.keys)[i] + 1;
    throw SplitRows{int_column(std::move(keys)), at_->id};
  }
}

// Flow after all groups, if it is the same; else the caller's statement has to run by group.
Columns::Flow Columns::merged_flow(std::span<const Flow> flows, const Groups& groups) {
  if (std::all_of(flows.begin(), flows.end(), [&](Flow f) { return f == flows[0]; }))
    return flows[0];
  IntList keys(static_cast<std::size_t>(at_->width));
  for (std::size_t g = 0; g < flows.size(); ++g) {
    for (const std::int32_t row : groups.rows[g])
      keys[static_cast<std::size_t>(row)] = static_cast<std::int32_t>(flows[g]);
  }
  throw SplitRows{int_column(std::move(keys)), at_->id};
}

// Variables of enclosing loops that aren't kept in their slot.
bool Columns::is_settled_elsewhere(const SlotKey& key) const {
  for (const Context* c = at_; c != nullptr; c = c->outer) {
    if (c->shared.contains(key) || c->sums.contains(key) || c->element_sums.contains(key))
      return true;
  }
  return false;
}

Value Columns::merged(std::span<const Value> values, const Groups& groups, const SlotKey* key) {
  const Value& first = values[0];
  if (std::all_of(values.begin(), values.end(),
                  [&](const Value& v) { return same_value(v, first); }))
    return first;
  if (std::any_of(values.begin(), values.end(), [](const Value& v) { return v.is_unset(); })) {
    for (Context* c = at_; c != nullptr && key != nullptr; c = c->outer) {
      if (c->carried.contains(*key)) c->partly_set.insert(*key);
    }
    return {};
  }
  return merged_columns(values, groups);
}

Value Columns::merged_columns(std::span<const Value> values, const Groups& groups) {
  Context* here_now = at_;
  std::vector<Value> columns;
  for (std::size_t g = 0; g < values.size(); ++g) {
    Context group;  // only for its width
    group.width = ssize(groups.rows[g]);
    at_ = &group;
    columns.push_back(apart(values[g]));
    at_ = here_now;
  }
  const Column& first = columns[0].column();
  Column result{.base = first.base, .dims = first.dims, .context = at_->id, .width = at_->width};
  for (const Value& v : columns) {
    if (!(v.column().dims == first.dims)) abandon("values of rounds have different sizes");
    if (v.column().is_integer() != first.is_integer()) abandon("values of different types");
  }
  for (std::size_t k = 0; k < static_cast<std::size_t>(first.size()); ++k) {
    const auto drawn = [&](const Value& v) { return is_drawn(v, static_cast<Index>(k)); };
    if (std::any_of(columns.begin(), columns.end(), drawn)) {
      std::vector<Expr> parts;
      for (const Value& v : columns) parts.push_back(element(v, static_cast<Index>(k)));
      result.reals.resize(static_cast<std::size_t>(first.size()));
      result.reals[k] = merged_reals(parts, groups);
      result.ints.push_back(nullptr);
    } else if (first.is_integer()) {
      IntList ints(static_cast<std::size_t>(at_->width));
      for (std::size_t g = 0; g < columns.size(); ++g) {
        const IntColumn& from = columns[g].column().ints[k];
        if (from == nullptr) abandon("an element is set in some rounds only");
        for (std::size_t i = 0; i < from->size(); ++i)
          ints[static_cast<std::size_t>(groups.rows[g][i])] = (*from)[i];
      }
      result.ints.push_back(int_column(std::move(ints)));
    } else {
      std::vector<Expr> parts;
      for (const Value& v : columns) parts.push_back(v.column().reals[k]);
      result.reals.push_back(merged_reals(parts, groups));
    }
  }
  return column_value(std::move(result));
}

Expr Columns::merged_reals(std::span<const Expr> parts, const Groups& groups) {
  const auto is_empty = [](const Expr& x) { return x.empty(); };
  if (std::all_of(parts.begin(), parts.end(), is_empty)) return {};
  if (std::any_of(parts.begin(), parts.end(), is_empty))
    abandon("an element is set in some rounds only");
  std::vector<Expr> columns;
  IntList index(static_cast<std::size_t>(at_->width));
  std::int32_t begin = 0;
  for (std::size_t g = 0; g < parts.size(); ++g) {
    const IntList& rows = groups.rows[g];
    columns.push_back(spread(parts[g], ssize(rows)));
    for (std::size_t i = 0; i < rows.size(); ++i)
      index[static_cast<std::size_t>(rows[i])] = begin + static_cast<std::int32_t>(i);
    begin += static_cast<std::int32_t>(rows.size());
  }
  return taken(graph::concat(graph::vector_shape(at_->width), columns), index);
}

// ---- columns of other contexts

// Row of this context -> row of `context`, which encloses it.
IntList Columns::rows_up_to(int context) const {
  if (at_->rows == nullptr) abandon("a value of another loop");
  IntList rows = *at_->rows;
  for (const Context* c = at_->outer; c != nullptr && c->id != context; c = c->outer) {
    if (c->rows == nullptr) abandon("a value of another loop");
    rows = composed(*c->rows, rows);
  }
  return rows;
}

Value Columns::here(const Column& column) {
  if (column.context == at_->id) return std::make_shared<const Column>(column);
  const IntList rows = rows_up_to(column.context);
  Column result{.base = column.base, .dims = column.dims, .context = at_->id, .width = at_->width};
  result.source = column.source;
  result.offsets = column.offsets;
  if (column.begin) result.begin = int_column(composed(*column.begin, rows));
  for (const IntColumn& ints : column.ints)
    result.ints.push_back(ints ? int_column(composed(*ints, rows)) : nullptr);
  for (const Expr& reals : column.reals) result.reals.push_back(taken(reals, rows));
  return column_value(std::move(result));
}

// ---- elements of columns

Value Columns::apart(const Value& value) {
  const Index count = row_dims(value).total();
  if (count > kMostElements) abandon("values of many elements in every round");
  Column result{
      .base = row_base(value), .dims = row_dims(value), .context = at_->id, .width = at_->width};
  if (value.is_tuple() || value.is_unset()) abandon("a tuple in every round");
  const bool is_apart = value.is_column() && !value.column().is_rows();
  if (is_apart && is_int_based(value)) {
    result.ints = value.column().ints;
    result.reals = value.column().reals;
    return column_value(std::move(result));
  }
  for (Index k = 0; k < count; ++k) {
    const auto place = static_cast<std::size_t>(k);
    if (is_int_based(value)) {
      result.ints.push_back(int_element(value, k));
    } else {
      result.reals.push_back(is_apart ? value.column().reals[place] : element(value, k));
    }
  }
  return column_value(std::move(result));
}

IntColumn Columns::taken_ints(const Value& source, const IntList& begin,
                              std::int32_t offset) const {
  const IntList& values = source.ints()->values;
  bool in_order = begin.size() == values.size();
  for (std::size_t i = 0; in_order && i < begin.size(); ++i)
    in_order = begin[i] + offset == static_cast<std::int32_t>(i);
  if (in_order) return {source.ints(), &values};
  IntList result(begin.size());
  for (std::size_t i = 0; i < begin.size(); ++i)
    result[i] = values[static_cast<std::size_t>(begin[i] + offset)];
  return int_column(std::move(result));
}

namespace {
// Elements of a list that hasn't been packed; packing all of it for a few would cost too much.
Expr listed(const RealArray& array, const IntList& positions, graph::Graph& graph) {
  const graph::Shape shape = graph::vector_shape(ssize(positions));
  std::vector<Expr> parts;
  IntList elements;
  const graph::NodeId node = array.element(positions[0]).ref.node;
  for (const std::int32_t p : positions) {
    const Scalar x = array.element(p);
    parts.push_back(to_expr(x, &graph));
    if (!x.is_known() && x.ref.node == node) elements.push_back(std::max(x.ref.element, 0));
  }
  const bool known =
      std::all_of(parts.begin(), parts.end(), [](const Expr& x) { return x.is_constant(); });
  if (!known && elements.size() == positions.size()) {
    const Expr whole(graph, {node, -1});
    const bool in_order = whole.size() == ssize(elements) && is_run(elements, 1);
    return in_order ? whole.reshaped(shape) : taken(whole, elements);
  }
  return graph::pack(shape, parts);
}

// Without a list of positions where the elements come in order.
bool runs_through(const RealArray& array, const IntList& begin, std::int32_t offset) {
  if (!array.is_packed() || array.size() != ssize(begin)) return false;
  for (std::size_t i = 0; i < begin.size(); ++i) {
    if (begin[i] + offset != static_cast<std::int32_t>(i)) return false;
  }
  return true;
}
}  // namespace

Expr Columns::taken_reals(const Value& source, const IntList& begin, std::int32_t offset) {
  RealArray& array = *source.reals();
  if (runs_through(array, begin, offset))
    return array.whole(m_.graph_).reshaped(graph::vector_shape(array.size()));
  const auto matches = [&](const IntList& positions) {
    return positions.size() == begin.size() &&
           std::equal(positions.begin(), positions.end(), begin.begin(),
                      [&](std::int32_t p, std::int32_t b) { return p == b + offset; });
  };
  for (const Taken& t : taken_) {
    if (t.source == &array && matches(*t.positions)) return t.value;
  }
  IntList positions(begin.size());
  for (std::size_t i = 0; i < begin.size(); ++i) positions[i] = begin[i] + offset;
  Expr value;
  if (all_equal(positions)) {
    value = m_.expr(array.element(positions[0]));
  } else {
    value = array.is_packed() ? taken(array.whole(m_.graph_), positions)
                              : listed(array, positions, *m_.graph_);
  }
  taken_.push_back({&array, std::make_shared<const IntList>(std::move(positions)), value, source});
  return value;
}

Expr Columns::as_reals(const IntColumn& ints) {
  if (all_equal(*ints)) return double((*ints)[0]);
  const auto [place, is_new] = real_ints_.try_emplace(ints.get());
  if (is_new) {
    auto data = std::make_shared<AlignedArray>(ssize(*ints));
    std::copy(ints->begin(), ints->end(), data->data());
    place->second = {ints, Expr(graph::vector_shape(ssize(*ints)), std::move(data))};
  }
  return place->second.second;
}

Expr Columns::element(const Value& value, Index k) {
  if (is_drawn(value, k)) return value.column().reals[static_cast<std::size_t>(k)];
  if (is_int_based(value) && value.is_column()) return as_reals(int_element(value, k));
  if (!value.is_column()) return m_.expr(scalar_of(value, value.is_scalar() ? 0 : k));
  const Column& column = value.column();
  const auto place = static_cast<std::size_t>(k);
  if (column.is_rows()) return taken_reals(column.source, *column.begin, column.offsets[place]);
  if (column.reals[place].empty()) abandon("an element is read that this round hasn't set");
  return column.reals[place];
}

IntColumn Columns::int_element(const Value& value, Index k) {
  const auto place = static_cast<std::size_t>(k);
  if (!value.is_column()) {
    const std::int32_t same = value.is_int() ? value.integer() : value.ints()->values[place];
    return int_column(IntList(static_cast<std::size_t>(at_->width), same));
  }
  const Column& column = value.column();
  if (column.is_rows()) return taken_ints(column.source, *column.begin, column.offsets[place]);
  if (column.is_drawn(k)) abandon("a whole number that is drawn has to be known");
  if (column.ints[place] == nullptr) abandon("an element is read that this round hasn't set");
  return column.ints[place];
}

Value Columns::scalar_value(Expr x) {
  if (x.is_scalar()) return Scalar(x);
  Column column{.base = BaseType::real, .context = at_->id, .width = at_->width};
  column.reals.push_back(x.reshaped(graph::vector_shape(x.size())));
  return column_value(std::move(column));
}

Value Columns::int_value(IntColumn x) {
  if (all_equal(*x)) return (*x)[0];
  Column column{.base = BaseType::integer, .context = at_->id, .width = at_->width};
  column.ints.push_back(std::move(x));
  return column_value(std::move(column));
}

Value Columns::drawn_value(Expr x) {
  Column column{.base = BaseType::integer, .context = at_->id, .width = at_->width};
  column.ints.push_back(nullptr);
  column.reals.push_back(std::move(x));
  return column_value(std::move(column));
}

// ---- rows as one container

namespace {
IntList all_positions(const IntList& begin, const IntList& offsets) {
  IntList positions;
  positions.reserve(begin.size() * offsets.size());
  for (const std::int32_t b : begin) {
    for (const std::int32_t o : offsets) positions.push_back(b + o);
  }
  return positions;
}
Expr gathered(const graph::Shape& shape, const Expr& x, const IntList& positions) {
  const Expr flat = taken(x, positions);
  return flat.reshaped(shape);
}
}  // namespace

Expr Columns::as_matrix(const Column& rows, bool& rows_first) {
  RealArray& source = *rows.source.reals();
  const auto count = static_cast<std::int32_t>(rows.width),
             length = static_cast<std::int32_t>(rows.size());
  const bool all = source.is_packed() && source.size() == Index{count} * length;
  rows_first = false;
  if (all && is_run(*rows.begin, 1) && is_run(rows.offsets, count))
    return source.whole(m_.graph_).reshaped(graph::matrix_shape(count, length));
  rows_first = true;
  const graph::Shape shape = graph::matrix_shape(length, count);
  if (all && is_run(*rows.begin, length) && is_run(rows.offsets, 1))
    return source.whole(m_.graph_).reshaped(shape);
  const IntList positions = all_positions(*rows.begin, rows.offsets);
  return source.is_packed() ? gathered(shape, source.whole(m_.graph_), positions)
                            : listed(source, positions, *m_.graph_).reshaped(shape);
}

Expr Columns::as_array(const Column& column) {
  const auto length = static_cast<std::int32_t>(column.size());
  const graph::Shape shape{static_cast<std::int32_t>(column.width), length, 1};
  if (column.is_rows()) {
    bool rows_first = false;
    const Expr matrix = as_matrix(column, rows_first);
    return (rows_first ? matrix : graph::transpose(matrix)).reshaped(shape);
  }
  std::vector<Expr> parts;
  for (Index k = 0; k < length; ++k)
    parts.push_back(spread(element(std::make_shared<const Column>(column), k), column.width));
  IntList index;
  for (std::int32_t i = 0; i < shape.batch; ++i) {
    for (std::int32_t k = 0; k < length; ++k) index.push_back(k * shape.batch + i);
  }
  return gathered(shape, graph::concat(graph::vector_shape(shape.size()), parts), index);
}

}  // namespace credo::lang
