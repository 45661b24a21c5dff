// Attempts: a loop is opened, its body runs for all rows, it is closed; or all is taken back.
#include "lang/trace/columns.hpp"

#include "base/error.hpp"
#include "lang/trace/draw_call.hpp"
#include "lang/trace/indexing.hpp"

namespace credo::lang {
namespace {
constexpr std::int64_t kFewestRounds = 8;  // shorter loops aren't worth an attempt
}  // namespace

bool Columns::try_range(const typed::ForRange& s, std::int64_t first, std::int64_t last) {
  return attempt({&s, last - first + 1, *s.body, s.slot}, [&] {
    IntList rows(static_cast<std::size_t>(at_->width));
    std::iota(rows.begin(), rows.end(), static_cast<std::int32_t>(first));
    return int_value(int_column(std::move(rows)));
  });
}

bool Columns::try_each(const typed::ForEach& s, const Value& container) {
  if (container.is_tuple() || container.is_scalar()) return false;
  const LoopElements elements(container);
  return attempt({&s, elements.count(), *s.body, s.slot}, [&] {
    const Dims& dims = elements.dims;
    const Index rounds = at_->width;
    IntList begin(static_cast<std::size_t>(rounds));
    for (Index i = 0; i < rounds; ++i)
      begin[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i * (dims.total() / rounds));
    if (elements.by_scalar || dims.count == 1) {
      return container.is_ints() ? int_value(taken_ints(container, begin, 0))
                                 : scalar_value(taken_reals(container, begin, 0));
    }
    Column column{.base = base_of(container), .context = at_->id, .width = rounds};
    for (int d = 1; d < dims.count; ++d) column.dims.push(dims[d]);
    column.source = container;
    column.begin = int_column(std::move(begin));
    column.offsets.resize(static_cast<std::size_t>(column.size()));
    std::iota(column.offsets.begin(), column.offsets.end(), 0);
    return column_value(std::move(column));
  });
}

bool Columns::attempt(const Rounds& rounds, const std::function<Value()>& column) {
  if (rounds.count < kFewestRounds || rounds.count > m_.options_.limits.max_elements) return false;
  if (at_ != nullptr || hopeless_.contains(rounds.loop)) return false;
  const Facts& touched = facts(rounds.body);
  std::string reason = touched.blocker;
  for (const SlotUse& use : touched.slots) {
    const Value& value = m_.slot(use.slot);
    if (is_open(value) && !(takes_open() && value.is_whole()))
      reason = "whole numbers that depend on parameters";
  }
  if (reason.empty()) {
    const Mark before = mark(touched);
    try {
      Context loop;
      loop.width = rounds.count;
      for (Index i = 0; draws() && i < rounds.count; ++i)
        loop.paths.push_back(deeper(m_.path_, static_cast<std::uint64_t>(i)));
      run_loop(loop, rounds.body, rounds.variable, column);
      require_order_of_rounds(before.machine.terms);
    } catch (const NotColumnar& e) {
      reason = e.reason;
    } catch (const SplitRows&) {
      reason = "rounds take different paths";
    } catch (const NoGuardHere&) {
      reason = "a decision on parameters that some points don't reach";
    } catch (const Rejection&) {
      reason = "a check fails";
    } catch (const Error& e) {
      reason = e.message();
    }
    if (!reason.empty()) roll_back(before);
    m_.enter(before.machine.statement);
    taken_.clear();
    real_ints_.clear();
  }
  if (!reason.empty()) hopeless_.insert(rounds.loop);
  report(rounds.count, reason.empty(), reason);
  return reason.empty();
}

// A statement that ran for some rows after the other, or step by step, has its rows in another order
// than the rounds.
void Columns::require_order_of_rounds(std::size_t first_term) const {
  std::map<std::int32_t, std::size_t> groups;
  for (std::size_t k = first_term; k < m_.terms.size(); ++k) {
    const Term& term = m_.terms[k];
    const auto [place, is_new] = groups.try_emplace(term.statement, term.group);
    if (m_.options_.apart && !is_new && place->second != term.group)
      abandon("a statement adds rows several times in a round");
  }
}

void Columns::report(Index rounds, bool columns, std::string outcome) {
  const auto same = std::find_if(m_.loops.begin(), m_.loops.end(),
                                 [&](const LoopReport& r) { return r.statement == m_.statement_; });
  LoopReport& entry = same == m_.loops.end() ? m_.loops.emplace_back() : *same;
  entry = {m_.statement_, rounds, columns, std::move(outcome)};
}

// ---- marks

Columns::Saved Columns::save(const Facts& touched) {
  Saved saved;
  for (const SlotUse& use : touched.slots) {
    saved.emplace_back(use.slot, m_.slot(use.slot));
  }
  return saved;
}

void Columns::restore(const Saved& saved) {
  for (const auto& [slot, value] : saved) m_.slot(slot) = value;
}

Columns::Mark Columns::mark(const Facts& touched) {
  Mark mark{.machine = m_.mark(), .at = at_, .saved = save(touched), .sums = {}};
  for (const Context* c = at_; c != nullptr; c = c->outer)
    mark.sums.emplace_back(c->sums, c->element_sums);
  // A list that is packed from now on must not remember a node that is taken back.
  for (const auto& [slot, value] : mark.saved) {
    if (value.is_reals() && !value.reals()->is_packed())
      m_.slot(slot) = std::make_shared<RealArray>(*value.reals());
  }
  return mark;
}

void Columns::roll_back(const Mark& mark) {
  m_.roll_back(mark.machine);
  const auto end = static_cast<graph::NodeId>(mark.machine.graph.nodes);
  std::erase_if(
      taken_, [&](const Taken& t) { return !t.value.is_constant() && t.value.ref().node >= end; });
  for (graph::Gates* gates : gates_) gates->forget_from(end);
  at_ = mark.at;
  restore(mark.saved);
  auto sums = mark.sums.begin();
  for (Context* c = at_; c != nullptr; c = c->outer, ++sums)
    std::tie(c->sums, c->element_sums) = *sums;
}

// ---- one loop

void Columns::run_loop(Context& loop, const typed::Statement& s, typed::Slot variable,
                       const std::function<Value()>& column) {
  const Facts& body = facts(s);
  loop.id = next_context_++;
  loop.outer = at_;
  const Saved saved = save(body);
  const Value before = m_.slot(variable);
  at_ = &loop;
  for (const SlotUse& use : body.slots) {
    if (!use.declared && use.is_assigned()) open_variable(loop, use);
  }
  m_.slot(variable) = column();
  run_body(loop, s);
  m_.slot(variable) = before;
  close(loop, saved);
}

// In outputs only where one statement of the outermost loop adds to a scalar: then the order is
// kept.
bool Columns::sums_apart(const Context& loop, const SlotUse& use) const {
  if (!is_exact()) return true;
  const Value& value = m_.slot(use.slot);
  return use.sums == 1 && loop.outer == nullptr && row_dims(value).count == 0;
}

bool Columns::is_summed_by_element(const SlotKey& key) const {
  const Context* root = at_;
  while (root->outer != nullptr) root = root->outer;
  return root->element_sums.contains(key);
}

void Columns::open_variable(Context& loop, const SlotUse& use) {
  const SlotKey key = key_of(use.slot);
  Value& value = m_.slot(use.slot);
  const bool is_root = loop.outer == nullptr;
  const bool is_scalar = row_dims(value).count == 0;
  if (value.is_tuple()) abandon("a tuple is assigned");
  if (use.is_sum() && sums_apart(loop, use)) {
    if (is_scalar) {
      loop.sums[key] = Value();
    } else if (is_root) {
      loop.element_sums[key] = Value();
    } else if (!is_summed_by_element(key)) {  // an outer loop writes its elements: two rounds of
      loop.shared[key] = {};                  // this one that add to the same one are noticed
    }
  } else if (!is_scalar && use.whole == 0) {
    loop.shared[key] = {};
  } else {
    loop.carried[key] = std::exchange(value, Value());
  }
}

// Rows that can't run together run in groups, each through the whole body.
void Columns::run_body(Context& loop, const typed::Statement& s) {
  const auto shared = loop.shared;
  const auto carried = loop.carried;
  const Mark before = mark(facts(s));
  Flow flow{};
  try {
    flow = dispatch(s);
  } catch (const SplitRows& split) {
    if (split.context != loop.id) abandon("rounds take different paths");
    roll_back(before);
    loop.shared = shared;
    loop.carried = carried;
    loop.partly_set.clear();
    flow = partition(split.keys, facts(s), [&](std::int32_t) { return execute_split(s); });
  }
  if (flow == Flow::leave_loop || flow == Flow::leave_function) abandon("the loop ends early");
}

void Columns::close(Context& loop, const Saved& saved) {
  std::vector<std::pair<SlotKey, Value>> values;
  for (const auto& [key, before] : loop.carried)
    values.emplace_back(key, after_loop(loop, key, before));
  at_ = loop.outer;
  restore(saved);
  for (auto& [key, value] : values) value_of(key) = std::move(value);
  for (auto& [key, writes] : loop.shared) {
    if (writes.owner.empty()) continue;
    if (at_ == nullptr) {
      commit(key, writes);
    } else {
      merge_into_outer(loop, key, writes);
    }
  }
  for (const auto& [key, increment] : loop.sums) {
    if (increment.is_unset()) continue;
    if (increment.is_reals()) {
      value_of(key) = added_in_order(value_of(key), increment);
    } else {
      add_increment(key, increment);
    }
  }
  for (const auto& [key, increment] : loop.element_sums) {
    if (increment.is_unset()) continue;
    Value& value = value_of(key);
    value = like(m_.expr(value) + increment.reals()->whole(m_.graph_), value);
  }
}

Value& Columns::value_of(const SlotKey& key) {
  return m_.slot({.local = key.frame != nullptr, .index = key.index});
}

// Value of a variable after the loop: its value after the last round.
Value Columns::after_loop(const Context& loop, const SlotKey& key, const Value& before) {
  const Value& value = value_of(key);
  if (value.is_unset()) {
    if (loop.partly_set.contains(key)) abandon("a variable is assigned in some rounds only");
    return before;
  }
  if (!value.is_column()) return value;
  return last_row(apart(here(value.column())).column(), before);
}

Value Columns::last_whole_row(const Column& column, const Value& before) {
  const Index last = column.width - 1;
  const auto element = [&](Index k) -> Value {
    const auto place = static_cast<std::size_t>(k);
    if (column.is_drawn(k)) return whole_values(column.reals[place].element(last), {}, {});
    if (column.ints[place] != nullptr) return (*column.ints[place])[static_cast<std::size_t>(last)];
    return before.ints()->element(k);
  };
  if (column.dims.count == 0) return element(0);
  Value all = make_ints(column.dims, IntList(column.ints.size()));
  for (Index k = 0; k < column.size(); ++k) all.ints()->set(k, element(k));
  return all;
}

Value Columns::last_row(const Column& column, const Value& before) {
  const Index last = column.width - 1;
  if (column.is_integer()) return last_whole_row(column, before);
  std::vector<Scalar> elements;
  for (std::size_t k = 0; k < column.reals.size(); ++k) {
    const Expr& x = column.reals[k];
    elements.push_back(x.empty() ? scalar_of(before, static_cast<Index>(k))
                                 : Scalar(x.is_scalar() ? x : x.element(last)));
  }
  return make_reals(column.base, column.dims, std::move(elements));
}

}  // namespace credo::lang
