// Assignments over columns: variables of a row, sums, and containers that the rounds of a loop
// write by element.
#include "lang/trace/columns.hpp"
#include "lang/trace/draw_call.hpp"
#include "lang/trace/indexing.hpp"

namespace credo::lang {

void Columns::assign(const typed::Assignment& s, const Value& value) {
  require_bounds(value);
  if (s.target.accesses.empty()) return assign_whole(s.target.slot, value);
  assign_elements(s.target, value);
}

// Such ints can't be stored in variables: variables outlive the loop, and the machine needs bounds for ints that
// depend on parameters.
void Columns::require_bounds(const Value& value) const {
  if (value.is_column() && value.column().is_decided)
    abandon("whole numbers that depend on parameters");
}

void Columns::assign_whole(typed::Slot slot, const Value& value) {
  require_bounds(value);
  Value& variable = m_.slot(slot);
  const SlotKey key = key_of(slot);
  if (is_settled_elsewhere(key)) abandon("a container is written as a whole and by element");
  Dims expected = row_dims(variable);
  for (const Context* c = at_; c != nullptr; c = c->outer) {
    const auto before = c->carried.find(key);
    if (before != c->carried.end()) expected = row_dims(before->second);
  }
  if (!(row_dims(value) == expected)) abandon("an assigned value has another size");
  variable = value;
}

// ---- sums

bool Columns::add_to_sum(const typed::Assignment& s) {
  const auto update = sum_update(s);
  if (!update) return false;
  const SlotKey key = key_of(s.target.slot);
  const bool whole = s.target.accesses.empty();
  bool known = false;
  for (const Context* c = at_; c != nullptr; c = c->outer)
    known = known || (whole ? c->sums.contains(key) : c->element_sums.contains(key));
  if (!known) return false;
  Value increment = evaluate(*update->increment);
  if (update->negative) {
    increment = unary("minus", increment);
  }
  if (is_masked() && (is_int_based(increment) || is_exact())) abandon_reordered();
  increment = where_taken(increment);
  if (!whole) return add_to_element(s, increment);
  add_increment(key, increment);
  return true;
}

namespace {
// a[i][j] = ... as a[i, j] = ...
std::vector<const typed::IndexArgument*> all_indices(const typed::AssignmentTarget& target) {
  std::vector<const typed::IndexArgument*> all;
  for (const typed::Access& access : target.accesses) {
    for (const auto& index : access.indices) all.push_back(&index);
  }
  return all;
}
}  // namespace

namespace {
Value plus(Machine& machine, const Value& a, const Value& b) {
  if (a.is_int() && b.is_int())
    return machine.int_result("add", std::int64_t{a.integer()} + b.integer());
  return Scalar(machine.expr(a) + machine.expr(b));
}
}  // namespace

// To the innermost loop that sums the variable up, or to the variable.
void Columns::add_increment(const SlotKey& key, const Value& increment) {
  for (Context* c = at_; c != nullptr; c = c->outer) {
    const auto sum = c->sums.find(key);
    if (sum == c->sums.end()) continue;
    Context* here_now = at_;
    const bool keeps_order = is_exact() && !is_int_based(increment);
    if (keeps_order && !sum->second.is_unset()) abandon_reordered();
    const Value more = keeps_order ? in_order(increment, *c) : reduced(increment, *c);
    at_ = c->outer;
    if (sum->second.is_unset()) {
      sum->second = more;
    } else if (at_ == nullptr) {
      sum->second = plus(m_, sum->second, more);
    } else {
      sum->second = binary("add", sum->second, more);
    }
    at_ = here_now;
    return;
  }
  Value& variable = value_of(key);
  if (variable.is_unset()) abandon("a value is carried from one round to the next");
  if (at_ == nullptr) {
    variable = plus(m_, variable, increment);
    return;
  }
  if (variable.is_column()) variable = here(variable.column());
  variable = binary("add", variable, increment);
}

// The increments of all rounds, one after another, to be added when the loop ends.
Value Columns::in_order(const Value& increment, const Context& loop) {
  if (at_ != &loop) abandon_reordered();
  const Expr x = spread(element(increment, 0), at_->width);
  return from_expr(x, BaseType::vector, {at_->width});
}

Value Columns::added_in_order(const Value& before, const Value& increments) {
  if (before.is_unset()) abandon("a value is carried from one round to the next");
  const Index count = size_of(increments);
  const Expr all = graph::concat(graph::vector_shape(count + 1),
                                 std::array{m_.expr(before), m_.expr(increments)});
  return Scalar(graph::cumulative_sum(all).element(count));
}

// Summed over the loop's rounds, for each row around the loop.
Value Columns::reduced(const Value& increment, const Context& loop) {
  const IntList rows = rows_of_loop(loop);
  IntList outer(rows.size(), 0);
  if (loop.rows != nullptr) outer = composed(*loop.rows, rows);
  const auto width = static_cast<std::size_t>(loop.outer == nullptr ? 1 : loop.outer->width);
  if (is_int_based(increment)) {
    const IntColumn values = int_element(increment, 0);
    IntList totals(width, 0);
    for (std::size_t i = 0; i < outer.size(); ++i) {
      std::int32_t& total = totals[static_cast<std::size_t>(outer[i])];
      total = m_.int_result("add", std::int64_t{total} + (*values)[i]);
    }
    if (width == 1) return totals[0];
    Column column{.base = BaseType::integer, .context = loop.outer->id, .width = loop.outer->width};
    column.ints.push_back(int_column(std::move(totals)));
    return column_value(std::move(column));
  }
  if (width == 1) return Scalar(total(increment));
  const Expr x = spread(element(increment, 0), at_->width);
  Column column{.base = BaseType::real, .context = loop.outer->id, .width = loop.outer->width};
  const graph::Shape shape = graph::vector_shape(loop.outer->width);
  column.reals.push_back(x.is_scalar() ? graph::gather(shape, x, IntList(width, 0))
                                       : graph::scatter_add(shape, x, std::move(outer)));
  return column_value(std::move(column));
}

bool Columns::add_to_element(const typed::Assignment& s, const Value& increment) {
  const SlotKey key = key_of(s.target.slot);
  Context* root = at_;
  while (root->outer != nullptr) root = root->outer;
  const Value container = m_.slot(s.target.slot);
  if (!container.is_reals() || s.target.accesses.size() != 1 || !root->element_sums.contains(key))
    abandon("elements are summed in a way that columns don't know");
  const Plan plan = plan_indices(base_of(container), dims_of(container), all_indices(s.target));
  const Selected selected = select(base_of(container), dims_of(container), plan.selections);
  if (selected.dims.count != 0 || !plan.varied.empty()) abandon("whole parts are summed");
  IntList positions(static_cast<std::size_t>(at_->width), selected.positions[0]);
  for (std::size_t i = 0; plan.begin != nullptr && i < positions.size(); ++i)
    positions[i] += (*plan.begin)[i];
  const graph::Shape shape = container.reals()->shape();
  const Expr x = spread(element(increment, 0), at_->width);
  const Expr more = graph::scatter_add(shape, x, std::move(positions));
  Value& sum = root->element_sums[key];
  sum = like(sum.is_unset() ? more : sum.reals()->whole(m_.graph_) + more, container);
  return true;
}

// ---- elements

Columns::Context* Columns::shared_by(const SlotKey& key) const {
  for (Context* c = at_; c != nullptr; c = c->outer) {
    if (c->shared.contains(key)) return c;
  }
  return nullptr;
}

IntList Columns::rows_of_loop(const Context& loop) const {
  IntList rows(static_cast<std::size_t>(at_->width));
  std::iota(rows.begin(), rows.end(), 0);
  for (const Context* c = at_; c != &loop; c = c->outer) {
    if (c->rows == nullptr) abandon("a value of another loop");
    rows = composed(*c->rows, rows);
  }
  return rows;
}

void Columns::assign_elements(const typed::AssignmentTarget& target, const Value& value) {
  if (target.accesses.size() != 1 &&
      !std::all_of(target.accesses.begin(), target.accesses.end(), [](const typed::Access& a) {
        return a.projection < 0 && a.indices.size() == 1 &&
               a.indices[0].kind == typed::IndexKind::single;
      }))
    abandon("an assignment behind several brackets");
  const SlotKey key = key_of(target.slot);
  Value& variable = slot_here(target.slot);
  if (variable.is_unset()) abandon("an element of a variable that this round hasn't set");
  const BaseType base = row_base(variable);
  const Dims dims = row_dims(variable);
  const Plan plan = plan_indices(base, dims, all_indices(target));
  const Selected selected = select(base, dims, plan.selections);
  if (!(selected.dims == row_dims(value))) abandon("an assigned value has another size");
  if (!plan.varied.empty()) abandon("an assignment to elements that a column of lists picks");
  Context* shared = shared_by(key);
  if (shared == nullptr || variable.is_column()) {
    if (plan.begin != nullptr) abandon("a container of a round is written where rounds differ");
    return write_own(target.slot, selected.positions, value);
  }
  if (plan.begin == nullptr) {
    make_own(target.slot, key);
    return write_own(target.slot, selected.positions, value);
  }
  Value chosen = value;  // rows that don't take the side keep the old value
  if (is_masked())
    chosen = this->selected(mask_.rows, value, read_shared(key, variable, selected, plan.begin));
  for (std::size_t k = 0; k < selected.positions.size(); ++k) {
    IntList positions = *plan.begin;
    for (std::int32_t& p : positions) p += selected.positions[k];
    write_shared(shared->shared[key], size_of(variable), positions, chosen, static_cast<Index>(k));
  }
}

// Every round writes the same elements: the container is the round's own, as if it were declared in
// the loop; what hasn't been set there can't be read.
void Columns::make_own(typed::Slot slot, const SlotKey& key) {
  if (is_masked()) abandon("every round writes the same element on one side of a decision");
  Context* loop = shared_by(key);
  const bool possible = loop == at_ && loop->outer == nullptr && !loop->shared[key].is_used();
  Value& variable = m_.slot(slot);
  if (!possible || size_of(variable) > 64) abandon("every round writes the same element");
  loop->shared.erase(key);
  loop->carried[key] = variable;
  Column own{.base = base_of(variable),
             .dims = dims_of(variable),
             .context = at_->id,
             .width = at_->width};
  const auto count = static_cast<std::size_t>(size_of(variable));
  if (own.is_integer()) own.ints.resize(count);
  if (!own.is_integer()) own.reals.resize(count);
  variable = column_value(std::move(own));
}

void Columns::write_own(typed::Slot slot, std::span<const std::int32_t> positions,
                        const Value& value) {
  Value& variable = slot_here(slot);
  if (!variable.is_column() && !value.is_column()) return write(variable, positions, value);
  Column own = apart(variable).column();
  for (std::size_t k = 0; k < positions.size(); ++k) {
    const auto place = static_cast<std::size_t>(positions[k]);
    const bool drawn = is_drawn(value, static_cast<Index>(k));
    if (own.is_integer() && !drawn) {
      own.ints[place] = int_element(value, static_cast<Index>(k));
      if (!own.reals.empty()) own.reals[place] = Expr();
    } else {
      own.reals.resize(static_cast<std::size_t>(own.size()));
      own.reals[place] = element(value, static_cast<Index>(k));
    }
  }
  variable = column_value(std::move(own));
}

void Columns::write_shared(SharedWrites& writes, Index size, const IntList& positions,
                           const Value& value, Index k) {
  const Context* loop = at_;
  while (std::none_of(loop->shared.begin(), loop->shared.end(),
                      [&](const auto& entry) { return &entry.second == &writes; }))
    loop = loop->outer;
  const IntList rows = rows_of_loop(*loop);
  if (is_drawn(value, k)) make_drawn(writes);
  const bool is_integer = is_int_based(value) && !writes.drawn;
  if (writes.owner.empty()) {
    writes.owner.assign(static_cast<std::size_t>(size), -1);
    writes.entry.resize(writes.owner.size());
    writes.row.resize(writes.owner.size());
  }
  const auto entry =
      static_cast<std::int32_t>(is_integer ? writes.ints.size() : writes.reals.size());
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const auto p = static_cast<std::size_t>(positions[i]);
    if (writes.owner[p] >= 0 && writes.owner[p] != rows[i]) abandon("two rounds write one element");
    if (!writes.reader.empty() && writes.reader[p] > rows[i])
      abandon("a round reads what an earlier one writes");
    writes.owner[p] = rows[i];
    writes.entry[p] = entry;
    writes.row[p] = static_cast<std::int32_t>(i);
  }
  if (is_integer) {
    writes.ints.push_back(int_element(value, k));
  } else {
    writes.reals.push_back(spread(element(value, k), at_->width));
  }
}

void Columns::make_drawn(SharedWrites& writes) {
  writes.drawn = true;
  for (const IntColumn& ints : writes.ints)
    writes.reals.push_back(spread(as_reals(ints), ssize(*ints)));
  writes.ints.clear();
}

void Columns::mark_read(SharedWrites& writes, Index size, const IntList& positions,
                        const IntList& rows) {
  if (writes.reader.empty()) writes.reader.assign(static_cast<std::size_t>(size), -1);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    std::int32_t& reader = writes.reader[static_cast<std::size_t>(positions[i])];
    reader = std::max(reader, rows[i]);
  }
}

namespace {
// Columns joined to one vector, by entry and row.
struct Joined {
  std::vector<std::int32_t> begin;  // begin of each entry
  Expr all;
};
Joined joined_reals(const std::vector<Expr>& entries) {
  Joined joined;
  std::int32_t total = 0;
  for (const Expr& e : entries) {
    joined.begin.push_back(total);
    total += static_cast<std::int32_t>(e.size());
  }
  joined.all =
      entries.size() == 1 ? entries[0] : graph::concat(graph::vector_shape(total), entries);
  return joined;
}
bool is_identity(const IntList& index) {
  for (std::size_t i = 0; i < index.size(); ++i) {
    if (index[i] != static_cast<std::int32_t>(i)) return false;
  }
  return true;
}
}  // namespace

// Values that the row itself has written to these elements; nullopt if no row has written them.
std::optional<Value> Columns::read_written(const SlotKey& key, const Value& container,
                                           const IntList& positions) {
  for (Context* c = at_; c != nullptr; c = c->outer) {
    const auto place = c->shared.find(key);
    if (place == c->shared.end()) continue;
    SharedWrites& w = place->second;
    const IntList rows = rows_of_loop(*c);
    std::size_t own = 0;
    for (std::size_t i = 0; i < positions.size() && !w.owner.empty(); ++i) {
      const std::int32_t owner = w.owner[static_cast<std::size_t>(positions[i])];
      if (owner >= 0 && owner != rows[i]) abandon("a round reads what another one writes");
      own += owner >= 0 ? 1 : 0;
    }
    if (own == positions.size()) return written(w, positions, container.is_ints());
    if (own > 0) abandon("some rounds read their own writes, others don't");
    mark_read(w, size_of(container), positions, rows);
  }
  return std::nullopt;
}

Value Columns::written(const SharedWrites& w, const IntList& positions, bool is_integer) {
  const auto at = [&](const IntList& list, std::size_t i) {
    return static_cast<std::size_t>(list[static_cast<std::size_t>(positions[i])]);
  };
  IntList index(positions.size());
  const auto value = [&](const Expr& x) { return w.drawn ? drawn_value(x) : scalar_value(x); };
  if (is_integer && !w.drawn) {
    for (std::size_t i = 0; i < index.size(); ++i)
      index[i] = (*w.ints[at(w.entry, i)])[at(w.row, i)];
    return int_value(int_column(std::move(index)));
  }
  bool single = true;
  for (std::size_t i = 0; i < index.size(); ++i) {
    single = single && at(w.entry, i) == at(w.entry, 0);
    index[i] = static_cast<std::int32_t>(at(w.row, i));
  }
  if (single) {
    const Expr& one = w.reals[at(w.entry, 0)];
    const bool in_order = one.size() == ssize(index) && is_identity(index);
    return value(in_order ? one : taken(one, index));
  }
  const Joined all = joined_reals(w.reals);
  for (std::size_t i = 0; i < index.size(); ++i) index[i] += all.begin[at(w.entry, i)];
  return value(taken(all.all, index));
}

// ---- the end of a loop

// The container after the loop: the written elements from the entries, the others as before.
void Columns::commit(const SlotKey& key, SharedWrites& writes) {
  Value& variable = value_of(key);
  const std::size_t size = writes.owner.size();
  if (variable.is_ints()) {
    IntArray& array = writable_ints(variable);
    for (std::size_t p = 0; p < size; ++p) {
      if (writes.owner[p] < 0) continue;
      if (writes.drawn) {
        const Expr& from = writes.reals[static_cast<std::size_t>(writes.entry[p])];
        array.set(static_cast<Index>(p), whole_values(from.element(writes.row[p]), {}, {}));
        continue;
      }
      const IntColumn& from = writes.ints[static_cast<std::size_t>(writes.entry[p])];
      array.values[p] = (*from)[static_cast<std::size_t>(writes.row[p])];
    }
    return;
  }
  const Index written = std::count_if(writes.owner.begin(), writes.owner.end(),
                                      [](std::int32_t owner) { return owner >= 0; });
  const bool all = written == ssize(writes.owner);
  if (!all && (!variable.reals()->is_packed() || 4 * written < ssize(writes.owner)))
    return commit_by_element(variable, writes);
  std::vector<Expr> entries = writes.reals;
  if (!all) entries.push_back(m_.expr(variable));
  const Joined joined = joined_reals(entries);
  IntList index(size);
  for (std::size_t p = 0; p < size; ++p) {
    index[p] = writes.owner[p] < 0
                   ? joined.begin.back() + static_cast<std::int32_t>(p)
                   : joined.begin[static_cast<std::size_t>(writes.entry[p])] + writes.row[p];
  }
  const bool in_order = joined.all.size() == ssize(index) && is_identity(index);
  const Expr whole = in_order ? joined.all : taken(joined.all, index);
  variable = like(whole.reshaped(variable.reals()->shape()), variable);
}

// A few of many elements.
void Columns::commit_by_element(Value& variable, const SharedWrites& writes) {
  RealArray& array = writable_reals(variable);
  for (std::size_t p = 0; p < writes.owner.size(); ++p) {
    if (writes.owner[p] < 0) continue;
    const Expr& from = writes.reals[static_cast<std::size_t>(writes.entry[p])];
    array.set(static_cast<Index>(p), Scalar(from.element(writes.row[p])));
  }
}

void Columns::merge_into_outer(const Context& loop, const SlotKey& key, SharedWrites& writes) {
  Context* outer = shared_by(key);
  if (outer == nullptr) abandon("a container of a round is written by an inner loop");
  SharedWrites& to = outer->shared[key];
  if (writes.drawn && !to.drawn) make_drawn(to);
  if (to.drawn && !writes.drawn) make_drawn(writes);
  const std::size_t size = writes.owner.size();
  if (to.owner.empty()) {
    to.owner.assign(size, -1);
    to.entry.resize(size);
    to.row.resize(size);
  }
  const IntList rows = rows_of_loop(*outer);
  const auto shift = static_cast<std::int32_t>(to.reals.size() + to.ints.size());
  for (std::size_t p = 0; p < size; ++p) {
    if (writes.owner[p] < 0) continue;
    const std::int32_t row =
        rows[static_cast<std::size_t>((*loop.rows)[static_cast<std::size_t>(writes.owner[p])])];
    if (to.owner[p] >= 0 && to.owner[p] != row) abandon("two rounds write one element");
    if (!to.reader.empty() && to.reader[p] > row)
      abandon("a round reads what an earlier one writes");
    to.owner[p] = row;
    to.entry[p] = shift + writes.entry[p];
    to.row[p] = writes.row[p];
  }
  to.reals.insert(to.reals.end(), writes.reals.begin(), writes.reals.end());
  to.ints.insert(to.ints.end(), writes.ints.begin(), writes.ints.end());
}

}  // namespace credo::lang
