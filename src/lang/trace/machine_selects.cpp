// Branches on parameters that only assign: both sides are run, what they wrote is taken back, and
// each variable becomes a select of its two values. Indices that depend on parameters are picks.
// docs/design/selects.md says when, and why nothing else changes.
#include <fmt/format.h>

#include <set>

#include "base/error.hpp"
#include "graph/core/op.hpp"
#include "lang/trace/indexing.hpp"
#include "lang/trace/machine.hpp"
#include "lang/trace/machine_journal.hpp"
#include "lang/trace/select_facts.hpp"
#include "lang/typed/loop_facts.hpp"

namespace credo::lang {
using graph::NodeId;

// ---- values by element

namespace {
constexpr Index kAll = -1;

Value element_of(const Value& container, Index i) {
  return container.is_ints() ? container.ints()->element(i) : Value(scalar_of(container, i));
}

void set_element(Value& container, Index i, const Value& value) {
  if (container.is_ints()) {
    writable_ints(container).set(i, value);
  } else {
    writable_reals(container).set(i, scalar_of(value));
  }
}

Value now(const Value& variable, Index element) {
  return element == kAll ? variable : element_of(variable, element);
}
void store(Value& variable, Index element, const Value& value) {
  if (element == kAll) {
    variable = value;
  } else {
    set_element(variable, element, value);
  }
}
}  // namespace

// ---- the journal

void Machine::Journal::note(Value& variable) {
  if (!is_own(variable)) before_.push_back({&variable, kAll, variable});
}

void Machine::Journal::note(Value& variable, std::span<const std::int32_t> elements) {
  if (is_own(variable)) return;
  for (const std::int32_t i : elements) before_.push_back({&variable, i, element_of(variable, i)});
}

Machine::Writes Machine::Journal::writes() const {
  std::set<const Value*> whole;
  for (const Written& w : before_) {
    if (w.element == kAll) whole.insert(w.variable);
  }
  Writes result;
  std::set<std::pair<const Value*, Index>> seen;
  for (const Written& w : before_) {
    const Index element = whole.contains(w.variable) ? kAll : w.element;
    if (seen.emplace(w.variable, element).second)
      result.push_back({w.variable, element, now(*w.variable, element)});
  }
  return result;
}

void Machine::Journal::undo() {
  for (auto w = before_.rbegin(); w != before_.rend(); ++w)
    store(*w->variable, w->element, w->value);
}

// ---- marks

Machine::Mark Machine::mark() const {
  return {.graph = graph_->mark(),
          .terms = terms.size(),
          .density_marks = density_marks_.size(),
          .failures = failures.size(),
          .masked_checks = checks_->num_masked(),
          .statement = statement_,
          .key = key,
          .frame = frame_};
}

void Machine::roll_back(const Mark& mark) {
  graph_->roll_back(mark.graph);
  point_->forget_from(static_cast<NodeId>(mark.graph.nodes));
  terms.resize(mark.terms);
  density_marks_.resize(mark.density_marks);
  failures.resize(mark.failures);
  std::erase_if(failure_index_, [&](const auto& entry) {
    return entry.second > static_cast<std::int32_t>(mark.failures);
  });
  enter(mark.statement);
  key = mark.key;
  frame_ = mark.frame;
}

// Nothing has been added but values and checks of one side: no other check, no term, no decision.
bool Machine::only_assigned_since(const Mark& mark) const {
  if (terms.size() != mark.terms || key != mark.key) return false;
  Index num_checks = 0;
  for (auto id = static_cast<NodeId>(mark.graph.nodes); id < graph_->num_nodes(); ++id)
    num_checks += graph_->node(id).op->kind == graph::OpKind::check ? 1 : 0;
  return num_checks == checks_->num_masked() - mark.masked_checks;
}

// Containers that were packed since the mark mustn't remember nodes that are taken back.
void Machine::forget_packs(const Mark& mark, const Facts& touched) {
  for (const SlotUse& use : touched.slots) {
    const Value& value = slot(use.slot);
    if (value.is_reals()) value.reals()->forget_from(static_cast<NodeId>(mark.graph.nodes));
  }
}

// ---- if

const SelectFacts& Machine::select_facts(const typed::If& s) {
  auto& facts = select_facts_[&s];
  if (facts == nullptr) facts = std::make_unique<const SelectFacts>(select_facts_of(s));
  return *facts;
}

class Machine::Masking {
 public:
  Masking(Machine& machine, const Expr& mask) : checks_(*machine.checks_), before_(checks_.mask) {
    if (!mask.empty()) checks_.mask = before_.empty() ? mask : before_ * mask;
  }
  ~Masking() { checks_.mask = before_; }
  Masking(const Masking&) = delete;
  Masking& operator=(const Masking&) = delete;

 private:
  graph::Checks& checks_;
  Expr before_;
};

bool Machine::is_on_sites(const Value& whole) {
  return sites_ != nullptr && sites_->only_on_sites(whole.whole().ref);
}

// Nothing where the decision must be a guard. Sides of a decision on discrete parameters may do
// anything: once the parameters are known, only one side is left.
std::optional<Machine::Flow> Machine::try_select(const typed::If& s, const Value& condition) {
  const SelectFacts& facts = select_facts(s);
  const bool on_sites = is_on_sites(condition);
  if (!on_sites && !facts.allow(options_.selects)) return std::nullopt;
  const Mark before = mark();
  const Expr which = expr(truth(condition));
  try {
    Branch if_true = run_branch(s.if_true, masks(on_sites) ? which : Expr());
    Branch if_false = run_branch(s.if_false, masks(on_sites) ? 1.0 - which : Expr());
    const bool has_terms = !if_true.terms.empty() || !if_false.terms.empty();
    const bool harmless = on_sites ? key == before.key : !has_terms && only_assigned_since(before);
    const bool same_flow =
        if_true.flow == if_false.flow && (if_true.flow == Flow::next || on_sites);
    if (harmless && same_flow && merge(condition, if_true, if_false)) return if_true.flow;
  } catch (const Rejection&) {  // the side that is taken says so when it runs alone
  } catch (const Error&) {
    if (on_sites) throw;
  }
  forget_packs(before, facts.touched);
  roll_back(before);
  return std::nullopt;
}

Machine::Branch Machine::run_branch(const typed::Body& branch, const Expr& mask) {
  Branch result;
  if (branch == nullptr) return result;
  Journal journal;
  struct Journaling {
    Machine& machine;
    Journal& journal;
    Journal* outer;
    std::size_t num_terms;
    ~Journaling() {
      journal.undo();
      machine.journal_ = outer;
      machine.terms.resize(num_terms);
    }
  } journaling{*this, journal, std::exchange(journal_, &journal), terms.size()};
  const Masking masking(*this, mask);
  try {
    result.flow = execute(*branch);
  } catch (const Rejection&) {
    if (mask.empty()) throw;
    add_term(-kInfinity, 0.0, TermKind::unlabelled);  // the side has no probability
  }
  if (result.flow == Flow::leave_function) result.result = frame_->result;
  result.terms.assign(terms.begin() + static_cast<std::ptrdiff_t>(journaling.num_terms),
                      terms.end());
  result.writes = journal.writes();
  return result;
}

bool Machine::merge(const Value& condition, Branch& if_true, Branch& if_false) {
  Value result;
  if (if_true.flow == Flow::leave_function) {
    auto both = selected(condition, if_true.result, if_false.result);
    if (!both) return false;
    result = *std::move(both);
  } else if (if_true.flow != Flow::next) {
    return false;
  }
  if (!merge_writes(condition, if_true.writes, if_false.writes)) return false;
  merge_terms(condition, if_true, true);
  merge_terms(condition, if_false, false);
  if (if_true.flow == Flow::leave_function) frame_->result = std::move(result);
  return true;
}

// What a side added to the target counts where that side is taken, its constants too.
void Machine::merge_terms(const Value& condition, const Branch& branch, bool if_true) {
  const Expr which = expr(truth(condition));
  const auto where_taken = [&](const Expr& x) {
    return if_true ? graph::select(which, x, 0.0) : graph::select(which, 0.0, x);
  };
  const std::size_t begin = terms.size();
  for (const Term& term : branch.terms) {
    const bool is_whole = term.dropped == 0.0 || !options_.constants;
    Term& merged = terms.emplace_back(term);
    merged.value = where_taken(is_whole ? term.value : term.value + term.dropped);
    merged.dropped = 0.0;
    merged.group = begin + term.group - branch.terms.front().group;
    if (!term.rows.empty()) merged.rows = where_taken(term.rows);
  }
}

// Each variable that a branch wrote becomes a choice; false, with nothing written, where one can't.
bool Machine::merge_writes(const Value& condition, const Writes& if_true, const Writes& if_false) {
  using Places = std::map<std::pair<const Value*, Index>, const Value*>;
  const auto places_of = [](const Writes& writes) {
    Places places;
    for (const Written& w : writes) places.emplace(std::pair(w.variable, w.element), &w.value);
    return places;
  };
  const Places in_true = places_of(if_true), in_false = places_of(if_false);
  Writes result;
  const auto add = [&](const Written& w) {
    const auto a = in_true.find({w.variable, w.element}),
               b = in_false.find({w.variable, w.element});
    const Value before = now(*w.variable, w.element);
    auto value = selected(condition, a == in_true.end() ? before : *a->second,
                          b == in_false.end() ? before : *b->second);
    if (value) result.push_back({w.variable, w.element, *std::move(value)});
    return value.has_value();
  };
  for (const Written& w : if_true) {
    if (!add(w)) return false;
  }
  for (const Written& w : if_false) {
    if (!in_true.contains({w.variable, w.element}) && !add(w)) return false;
  }
  for (const Written& w : result) {  // one by element, the other as a whole
    const std::pair<const Value*, Index> whole{w.variable, kAll};
    if (w.element != kAll && (in_true.contains(whole) || in_false.contains(whole))) return false;
  }
  for (const Written& w : result) {
    if (journal_ != nullptr && w.element == kAll) journal_->note(*w.variable);
    if (journal_ != nullptr && w.element != kAll)
      journal_->note(*w.variable, std::array{static_cast<std::int32_t>(w.element)});
    store(*w.variable, w.element, w.value);
  }
  return true;
}

// ---- choices of values

namespace {
bool is_same(const Scalar& a, const Scalar& b) {
  if (a.is_known() != b.is_known()) return false;
  if (!a.is_known()) return a.ref == b.ref;
  return std::bit_cast<std::uint64_t>(a.known) == std::bit_cast<std::uint64_t>(b.known);
}
}  // namespace

// Nothing where the values can't be chosen between: tuples, other sizes.
std::optional<Value> Machine::selected(const Value& condition, const Value& a, const Value& b) {
  if (a.is_unset() && b.is_unset()) return a;
  if (a.is_unset() || b.is_unset() || a.is_tuple() || b.is_tuple()) return std::nullopt;
  if (base_of(a) != base_of(b) || !(dims_of(a) == dims_of(b))) return std::nullopt;
  const Expr which = expr(condition);
  if (a.is_scalar()) {
    if (is_same(scalar_of(a), scalar_of(b))) return a;
    const Expr value = graph::select(which, expr(a), expr(b));
    if (a.is_real()) return Scalar(value);
    const Whole x = bounds_of(a), y = bounds_of(b);
    return whole_number(value, std::min(x.least, y.least), std::max(x.most, y.most));
  }
  if (a.is_reals()) {
    if (a.reals() == b.reals()) return a;
    return like(graph::select(which, expr(a), expr(b)), a);
  }
  Value result = make_ints(dims_of(a), a.ints()->values);
  for (Index i = 0; i < size_of(a); ++i)
    result.ints()->set(i, *selected(condition, element_of(a, i), element_of(b, i)));
  return result;
}

Value Machine::evaluate_masked(const typed::Expression& e, const Expr& mask) {
  const Masking masking(*this, mask);
  return evaluate_open(e);
}

std::optional<Value> Machine::try_select(const typed::Conditional& n, const Value& condition) {
  const bool on_sites = is_on_sites(condition);
  if (!on_sites && !may_select(n, options_.selects)) return std::nullopt;
  const Mark before = mark();
  const Expr which = expr(truth(condition));
  std::optional<Value> value;
  try {
    const Value a = evaluate_masked(*n.if_true, masks(on_sites) ? which : Expr()),
                b = evaluate_masked(*n.if_false, masks(on_sites) ? 1.0 - which : Expr());
    if (on_sites ? key == before.key : only_assigned_since(before))
      value = selected(condition, a, b);
  } catch (const Rejection&) {
  } catch (const Error&) {
  }
  if (value) return value;
  forget_packs(before, facts_of(*n.if_true));
  forget_packs(before, facts_of(*n.if_false));
  roll_back(before);
  return std::nullopt;
}

Value Machine::truth(const Value& whole) {
  if (whole.is_int()) return whole.integer() != 0 ? 1 : 0;
  if (whole.whole().least == 0 && whole.whole().most == 1) return whole;
  return whole_number(1.0 - graph::equal(expr(whole), 0.0), 0, 1);
}

// left && right, left || right: the right side is only needed, not harmful, where left decides.
std::optional<Value> Machine::try_join(const typed::ShortCircuit& n, const Value& left) {
  const bool on_sites = is_on_sites(left);
  if (!on_sites && options_.selects == Selects::none) return std::nullopt;
  const Mark before = mark();
  const Expr a = expr(truth(left)), decisive = n.is_and ? a : 1.0 - a;
  try {
    const Value right = truth(evaluate_masked(*n.right, masks(on_sites) ? decisive : Expr()));
    if (on_sites ? key == before.key : only_assigned_since(before)) {
      const Expr b = expr(right);
      return whole_number(n.is_and ? graph::select(a, b, 0.0) : graph::select(a, 1.0, b), 0, 1);
    }
  } catch (const Rejection&) {
  } catch (const Error&) {
  }
  forget_packs(before, facts_of(*n.right));
  roll_back(before);
  return std::nullopt;
}

// ---- indices

void Machine::require_inside(const Whole& index, Index size, SourceRange container) {
  if (index.least >= 1 && index.most <= size) return;
  const std::int32_t check = add_failure({FailureKind::out_of_range,
                                          statement_,
                                          name_of(container),
                                          {},
                                          {},
                                          fmt::format("the size is {}", size)});
  const Expr x(*graph_, index.ref);
  graph::check_greater_equal(x, 1.0, check);
  graph::check_less_equal(x, static_cast<double>(size), check);
}

// The elements that the indices may reach lie side by side; the computed indices say which are
// taken.
Value Machine::pick(const Value& container, std::span<const std::int32_t> places,
                    std::span<const Whole> open) {
  const Dims dims = dims_of(container);
  std::vector<Selection> reachable, first;
  for (int d = 0; d < dims.count; ++d) {
    const auto k = static_cast<std::size_t>(d);
    const bool is_open = k < places.size() && open[k].ref.node >= 0;
    if (k < places.size() && !is_open) {
      reachable.push_back({true, {places[k]}});
      continue;
    }
    reachable.push_back(whole_dimension(dims[d]));
    first.push_back(is_open ? Selection{true, {0}} : whole_dimension(dims[d]));
  }
  const Selected candidates = select(base_of(container), dims, reachable);
  const Selected taken = select(candidates.base, candidates.dims, first);
  const auto strides = strides_of(candidates.base, candidates.dims);
  Expr begin = 0.0;
  std::size_t dimension = 0;
  for (std::size_t k = 0; k < static_cast<std::size_t>(dims.count); ++k) {
    if (k < places.size() && open[k].ref.node < 0) continue;
    if (k < places.size())
      begin = begin + static_cast<double>(strides[dimension]) * (Expr(*graph_, open[k].ref) - 1.0);
    ++dimension;
  }
  return picked(container, candidates, taken, begin);
}

Value Machine::pick_each(const Value& container, const IntArray& places, SourceRange of) {
  const Index size = size_of(container);
  std::vector<Scalar> at;
  for (Index i = 0; i < places.dims.total(); ++i) {
    const Value place = places.element(i);
    if (place.is_whole()) {
      require_inside(place.whole(), size, of);
    } else if (place.integer() < 1 || place.integer() > size) {
      fail_index(place.integer(), size, of);
    }
    at.push_back(scalar_of(place));
  }
  const Expr from_one = expr(make_reals(BaseType::vector, places.dims, std::move(at)));
  const Expr value = graph::take(expr(container), from_one - 1.0);
  return taken_value(container, value, {base_of(container), places.dims, {}});
}

Value Machine::picked(const Value& container, const Selected& candidates, const Selected& taken,
                      const Expr& begin) {
  const bool all = ssize(candidates.positions) == size_of(container);
  const Value reachable = all ? container : read(container, candidates, graph_);
  Expr place = begin;
  if (taken.dims.count > 0) {
    const std::vector<double> offsets(taken.positions.begin(), taken.positions.end());
    place = begin + graph::constant(shape_of(taken.base, taken.dims), offsets);
  }
  return taken_value(reachable, graph::take(expr(reachable), place), taken);
}

// As a value of the container's kind; whole numbers lie between those that can be reached.
Value Machine::taken_value(const Value& reachable, const Expr& value, const Selected& taken) {
  if (!reachable.is_ints())
    return from_expr(value.reshaped(shape_of(taken.base, taken.dims)), taken.base, taken.dims);
  Whole bounds = bounds_of(reachable.ints()->element(0));
  for (Index i = 1; i < size_of(reachable); ++i) {
    const Whole other = bounds_of(reachable.ints()->element(i));
    bounds.least = std::min(bounds.least, other.least);
    bounds.most = std::max(bounds.most, other.most);
  }
  if (taken.dims.count == 0) return whole_number(value, bounds.least, bounds.most);
  Value result =
      make_ints(taken.dims, std::vector<std::int32_t>(static_cast<std::size_t>(value.size())));
  for (Index i = 0; i < value.size(); ++i)
    result.ints()->set(i, whole_number(value.element(i), bounds.least, bounds.most));
  return result;
}

}  // namespace credo::lang
