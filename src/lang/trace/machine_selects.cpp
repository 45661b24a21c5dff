// Branches on parameters: both sides are run, their effects are undone, and each variable becomes a select of its two
// values. Indices that depend on parameters are picks. docs/design/selects.md explains when this is done, and why all
// other code stays the same.
#include <fmt/format.h>

#include <set>

#include "base/error.hpp"
#include "graph/core/op.hpp"
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

// ---- what a decision has done

// True if nothing since the mark has an effect outside its side: no new guard and no check without a mask. Both sides
// of a select are computed, so they must be small unless the decision is made many times.
bool Machine::is_harmless_since(const Mark& mark, bool on_sites, bool is_small) const {
  constexpr Index kMostElements = 8192;
  if (key != mark.key) return false;
  if (on_sites) return true;
  Index num_checks = 0, num_elements = 0;
  for (auto id = static_cast<NodeId>(mark.graph.nodes); id < graph_->num_nodes(); ++id) {
    const graph::Node& node = graph_->node(id);
    num_checks += node.op->kind == graph::OpKind::check ? 1 : 0;
    num_elements += node.shape.size();
    if (options_.differentiable && graph_->attributes(node).routine != nullptr) return false;
  }
  if (num_checks != checks_->num_masked() - mark.masked_checks) return false;
  return !is_small || !options_.differentiable || num_elements <= kMostElements;
}

// Containers that were packed since the mark mustn't remember nodes that are taken back.
void Machine::forget_packs(const Mark& mark, const Facts& touched) {
  for (const SlotUse& use : touched.slots) forget_packs(mark, std::span(&slot(use.slot), 1));
}
void Machine::forget_packs(const Mark& mark, std::span<const Value> values) {
  for (const Value& value : values) {
    if (value.is_reals()) value.reals()->forget_from(static_cast<NodeId>(mark.graph.nodes));
  }
}

// ---- if

const SelectFacts& Machine::select_facts(const typed::If& s) {
  auto& facts = select_facts_[&s];
  if (facts == nullptr) facts = std::make_unique<const SelectFacts>(select_facts_of(s));
  return *facts;
}

// Checks apply only to points where the mask is 1, and values from outside are gated.
class Machine::Masking {
 public:
  Masking(Machine& machine, const Side& side)
      : machine_(machine),
        mask_before_(machine.checks_->mask),
        continuing_before_(machine.continuing_),
        gates_around_(machine.graph_->gates),
        all_got_here_(machine.all_points_get_here_) {
    ++machine.num_sides_;
    machine.all_points_get_here_ = all_got_here_ && side.on_sites;
    if (side.mask.empty()) return;
    {
      const graph::Gates::Open open(machine.graph_);
      machine.checks_->mask = mask_before_.empty() ? side.mask : mask_before_ * side.mask;
    }
    if (side.gated) gates_.emplace(*machine.graph_, side.mask);
  }
  ~Masking() {
    --machine_.num_sides_;
    machine_.all_points_get_here_ = all_got_here_;
    machine_.checks_->mask = mask_before_;
    machine_.continuing_ = continuing_before_;
  }
  Masking(const Masking&) = delete;
  Masking& operator=(const Masking&) = delete;

  // The mask also applies to terms that are added.
  void mask_terms(const Expr& mask) {
    const graph::Gates::Open open(machine_.graph_);
    machine_.continuing_ = continuing_before_.empty() ? mask : continuing_before_ * mask;
  }

  // Active while results are joined: this concerns points outside the mask, too, so its own gates are off.
  class Around {
   public:
    explicit Around(Machine& machine) : graph_(*machine.graph_), gates_(graph_.gates) {
      const Frame& frame = *machine.frame_;
      if (frame.continuing.size() > frame.level)
        graph_.gates = frame.continuing.back()->gates_around_;
    }
    ~Around() { graph_.gates = gates_; }
    Around(const Around&) = delete;
    Around& operator=(const Around&) = delete;

   private:
    graph::Graph& graph_;
    graph::Gates* gates_;
  };

 private:
  Machine& machine_;
  Expr mask_before_, continuing_before_;
  graph::Gates* gates_around_;
  bool all_got_here_;
  std::optional<graph::Gates> gates_;
};

Machine::Frame::Frame(std::size_t num_locals, std::vector<Value> arguments, Setting how)
    : setting(how), locals(std::move(arguments)) {
  locals.resize(num_locals);
}
Machine::Frame::~Frame() {
  while (!continuing.empty()) continuing.pop_back();  // last first
}

Machine::Side Machine::side(const Expr& which, bool on_sites, bool total) const {
  return {
      .mask = which, .gated = options_.differentiable && !on_sites && !total, .on_sites = on_sites};
}

bool Machine::is_on_sites(const Value& whole) {
  return sites_ != nullptr && sites_->only_on_sites(whole.whole().ref);
}

void Machine::give_up(const void* decision, const Mark& before) {
  roll_back(before);
  guarded_.insert(decision);
}

namespace {
// The result of running both sides; nothing if they can't both run.
template <class Run>
std::invoke_result_t<Run> both_sides(bool on_sites, const Run& run) {
  try {
    return run();
  } catch (const NoGuardHere&) {
    if (on_sites) throw;        // a decision around this one becomes a guard
  } catch (const Rejection&) {  // the side that is taken says so when it runs alone
  } catch (const Error&) {
    if (on_sites) throw;
  }
  return std::nullopt;
}
}  // namespace

// Returns nullopt if the decision must be a guard. Sides of a decision on discrete parameters may do
// anything: once the parameters are known, only one side is left.
std::optional<Machine::Flow> Machine::try_select(const typed::If& s, const Value& condition) {
  constexpr Index kFew = 3;  // so few decisions may be guards
  const bool on_sites = is_on_sites(condition);
  if (!on_sites && !may_try(&s)) return std::nullopt;
  const SelectFacts& facts = select_facts(s);
  const bool is_rare = num_decisions_[&s]++ < kFew;
  const Mark before = mark();
  const Expr which = expr(truth(condition));
  const auto flow = both_sides(on_sites, [&]() -> std::optional<Flow> {
    Branch if_true = run_branch(s.if_true, side(which, on_sites, facts.total));
    Branch if_false = run_branch(s.if_false, side(1.0 - which, on_sites, facts.total));
    if (!is_harmless_since(before, on_sites, is_rare)) return std::nullopt;
    return merge(which, if_true, if_false);
  });
  if (flow) return flow;
  forget_packs(before, facts.touched);
  give_up(&s, before);
  return std::nullopt;
}

// Runs one side of a decision; its effects are undone at the end.
class Machine::SideRun {
 public:
  SideRun(Machine& machine, const Side& side)
      : machine_(machine),
        frame_(*machine.frame_),
        outer_(std::exchange(machine.journal_, &journal)),
        num_terms_(machine.terms.size()),
        level_(std::exchange(frame_.level, frame_.continuing.size())),
        result_(std::exchange(frame_.result, {})),
        returned_(std::exchange(frame_.returned, {})),
        masking_(machine, side) {}
  ~SideRun() {
    while (frame_.continuing.size() > frame_.level) frame_.continuing.pop_back();
    journal.undo();
    machine_.journal_ = outer_;
    machine_.terms.resize(num_terms_);
    frame_.level = level_;
    frame_.result = std::move(result_);
    frame_.returned = std::move(returned_);
  }
  SideRun(const SideRun&) = delete;
  SideRun& operator=(const SideRun&) = delete;

  void take_over(Branch& branch) {
    branch.result = frame_.result;
    branch.returned = frame_.returned;
    branch.terms.assign(machine_.terms.begin() + static_cast<std::ptrdiff_t>(num_terms_),
                        machine_.terms.end());
    branch.writes = journal.writes();
  }

  Journal journal;

 private:
  Machine& machine_;
  Frame& frame_;
  Journal* outer_;
  std::size_t num_terms_, level_;
  Value result_;
  Expr returned_;
  Masking masking_;
};

Machine::Branch Machine::run_branch(const typed::Body& branch, const Side& side) {
  Branch result;
  if (branch == nullptr) return result;
  SideRun run(*this, side);
  try {
    result.flow = execute(*branch);
  } catch (const Rejection& r) {
    if (side.on_sites) {
      add_term(-kInfinity, 0.0, TermKind::unlabelled);  // the side has probability 0
    } else {
      refuse_where(checks_->mask, r);
      result.rejected = true;
    }
  }
  run.take_over(result);
  return result;
}

// Refuses the points at which the mask is 1, with the failure and the value of the rejection.
void Machine::refuse_where(const Expr& mask, const Rejection& r) {
  const graph::Gates::Open open(graph_);
  const std::int32_t check = add_failure(r.failure);
  checks_->count_masked(1);
  const Expr value = graph::select(mask, r.shown.empty() ? Expr(r.value) : r.shown, 0.0);
  if (r.shown.empty() && std::isnan(r.value) && r.failure.kind == FailureKind::requirement) {
    graph::check_not_nan(value, check);
  } else {
    graph::check_greater(value, graph::select(mask, kInfinity, -kInfinity), check);
  }
}

// Joins the two sides into one flow, with selects of their values. Empty if that is impossible.
std::optional<Machine::Flow> Machine::merge(const Expr& which, Branch& if_true, Branch& if_false) {
  if (if_true.rejected && if_false.rejected) return std::nullopt;
  if (if_true.rejected || if_false.rejected)
    return merge_one(if_true.rejected ? if_false : if_true);
  const bool one_flow = if_true.flow == if_false.flow && if_true.flow != Flow::leave_function;
  const bool any_returned = !if_true.returned.empty() || !if_false.returned.empty();
  const auto can_leave = [](const Branch& b) {
    return b.flow == Flow::next || b.flow == Flow::leave_function;
  };
  if ((!one_flow || any_returned) && (!can_leave(if_true) || !can_leave(if_false)))
    return std::nullopt;
  const auto writes = merged_writes(which, if_true.writes, if_false.writes);
  if (!writes) return std::nullopt;
  if (options_.apart && !if_true.terms.empty() && !if_false.terms.empty()) {
    if (!merge_rows(which, if_true, if_false)) return std::nullopt;
  } else {
    merge_terms(which, if_true, if_false);
  }
  std::optional<Flow> flow = if_true.flow;
  if (!one_flow || any_returned) flow = leave(which, if_true, if_false);
  if (flow) store_writes(*writes);
  return flow;
}

// Takes the effects of one side, because the other side refuses the point.
std::optional<Machine::Flow> Machine::merge_one(Branch& side) {
  const auto writes = merged_writes(1.0, side.writes, side.writes);
  if (!writes) return std::nullopt;
  terms.insert(terms.end(), side.terms.begin(), side.terms.end());
  if (side.flow == Flow::leave_function) {
    leave_with(std::move(side.result));
  } else if (!side.returned.empty() && !go_on_without({side.returned, side.result})) {
    return std::nullopt;
  }
  store_writes(*writes);
  return side.flow;
}

// ---- early returns

std::optional<Machine::Flow> Machine::leave(const Expr& which, const Branch& if_true,
                                            const Branch& if_false) {
  const auto where = [](const Branch& b) {
    return b.flow == Flow::leave_function ? Expr(1.0) : b.returned.empty() ? Expr(0.0) : b.returned;
  };
  const auto never = [](const Expr& x) { return x.is_constant() && x.value() == 0.0; };
  const Expr a = where(if_true), b = where(if_false);
  std::optional<Value> value = never(a)   ? if_false.result
                               : never(b) ? if_true.result
                                          : selected(which, if_true.result, if_false.result);
  if (!value) return std::nullopt;
  if (if_true.flow == Flow::leave_function && if_false.flow == Flow::leave_function) {
    leave_with(*std::move(value));
    return Flow::leave_function;
  }
  if (!go_on_without({graph::select(which, a, b), *std::move(value)})) return std::nullopt;
  return Flow::next;
}

// Excludes points that have returned from the rest of the function.
bool Machine::go_on_without(const Leaving& left) {
  if (!frame_->setting.may_leave_early) return false;
  Leaving all = left;
  if (!frame_->returned.empty()) {
    const Masking::Around around(*this);
    auto value = selected(frame_->returned, frame_->result, left.value);
    if (!value) return false;
    all = {graph::select(frame_->returned, 1.0, left.where), *std::move(value)};
  }
  frame_->returned = all.where;
  frame_->result = std::move(all.value);
  while (frame_->continuing.size() > frame_->level) frame_->continuing.pop_back();
  const Expr mask = 1.0 - all.where;
  frame_->continuing.push_back(std::make_unique<Masking>(
      *this, Side{.mask = mask, .gated = options_.differentiable, .on_sites = false}));
  frame_->continuing.back()->mask_terms(mask);
  return true;
}

void Machine::leave_with(Value value) {
  if (!frame_->returned.empty()) {
    const Masking::Around around(*this);
    auto both = selected(frame_->returned, frame_->result, value);
    if (!both) throw NoEarlyReturns{};
    value = *std::move(both);
  }
  frame_->result = std::move(value);
}

// ---- terms

// The term in points that take the side and 0 elsewhere, including its constants.
Term Machine::term_where(const Expr& which, bool if_true, const Term& term) const {
  const graph::Gates::Open open(graph_);
  const auto where_taken = [&](const Expr& x) {
    return if_true ? graph::select(which, x, 0.0) : graph::select(which, 0.0, x);
  };
  Term taken = term;
  if (options_.constants && term.dropped != 0.0) {
    taken.value = term.value + term.dropped;
    taken.varying = term.varying.empty() ? Expr(term.dropped) : term.varying + term.dropped;
  }
  taken.dropped = 0.0;
  taken.value = where_taken(taken.value);
  if (!taken.varying.empty()) taken.varying = where_taken(taken.varying);
  if (!term.rows.empty()) taken.rows = where_taken(term.rows);
  return taken;
}

void Machine::merge_terms(const Expr& which, const Branch& if_true, const Branch& if_false) {
  for (const Branch* side : {&if_true, &if_false}) {
    const std::size_t begin = terms.size();
    for (const Term& term : side->terms) {
      terms.push_back(term_where(which, side == &if_true, term));
      terms.back().group = begin + term.group - side->terms.front().group;
    }
  }
}

namespace {
// The sum of a side's terms as one term; empty if their rows don't match.
std::optional<Term> as_one(std::span<const Term> terms) {
  Term all = terms[0];
  for (const Term& term : terms.subspan(1)) {
    if (term.kind != all.kind || term.rows.size() != all.rows.size()) return std::nullopt;
    if (term.rows.empty() != all.rows.empty()) return std::nullopt;
    all.value = all.value + term.value;
    if (!all.rows.empty()) all.rows = all.rows + term.rows;
    all.is_mixed = all.is_mixed || term.is_mixed;
  }
  return all;
}
}  // namespace

// A row of one side is the same row on the other side; otherwise a decision would count its data twice.
bool Machine::merge_rows(const Expr& which, const Branch& if_true, const Branch& if_false) {
  const graph::Gates::Open open(graph_);
  std::vector<Term> taken_true, taken_false;
  for (const Term& term : if_true.terms) taken_true.push_back(term_where(which, true, term));
  for (const Term& term : if_false.terms) taken_false.push_back(term_where(which, false, term));
  const auto a = as_one(taken_true), b = as_one(taken_false);
  if (!a || !b) return false;
  auto both = as_one(std::array{*a, *b});
  if (!both) return false;
  both->group = terms.size();
  terms.push_back(*std::move(both));
  return true;
}

// A select for each variable that a branch wrote; empty if one of them can't be a select.
std::optional<Machine::Writes> Machine::merged_writes(const Expr& which, const Writes& if_true,
                                                      const Writes& if_false) {
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
    auto value = selected(which, a == in_true.end() ? before : *a->second,
                          b == in_false.end() ? before : *b->second);
    if (value) result.push_back({w.variable, w.element, *std::move(value)});
    return value.has_value();
  };
  for (const Written& w : if_true) {
    if (!add(w)) return std::nullopt;
  }
  for (const Written& w : if_false) {
    if (!in_true.contains({w.variable, w.element}) && !add(w)) return std::nullopt;
  }
  for (const Written& w : result) {  // one by element, the other as a whole
    const std::pair<const Value*, Index> whole{w.variable, kAll};
    if (w.element != kAll && (in_true.contains(whole) || in_false.contains(whole)))
      return std::nullopt;
  }
  return result;
}

void Machine::store_writes(const Writes& writes) {
  for (const Written& w : writes) {
    if (journal_ != nullptr && w.element == kAll) journal_->note(*w.variable);
    if (journal_ != nullptr && w.element != kAll)
      journal_->note(*w.variable, std::array{static_cast<std::int32_t>(w.element)});
    store(*w.variable, w.element, w.value);
  }
}

// ---- choices of values

namespace {
bool is_same(const Scalar& a, const Scalar& b) {
  if (a.is_known() != b.is_known()) return false;
  if (!a.is_known()) return a.ref == b.ref;
  return std::bit_cast<std::uint64_t>(a.known) == std::bit_cast<std::uint64_t>(b.known);
}
}  // namespace

// Returns nullopt for values that a select can't join: tuples, other sizes.
std::optional<Value> Machine::selected(const Expr& which, const Value& a, const Value& b) {
  if (a.is_unset() && b.is_unset()) return a;
  if (a.is_unset() || b.is_unset() || a.is_tuple() || b.is_tuple()) return std::nullopt;
  if (base_of(a) != base_of(b) || !(dims_of(a) == dims_of(b))) return std::nullopt;
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
    result.ints()->set(i, *selected(which, element_of(a, i), element_of(b, i)));
  return result;
}

// The value of an expression on one side; empty if the side refuses the point.
std::optional<Value> Machine::evaluate_masked(const typed::Expression& e, const Side& side) {
  const Masking masking(*this, side);
  try {
    return evaluate_open(e);
  } catch (const Rejection& r) {
    if (side.on_sites) throw;
    refuse_where(checks_->mask, r);
    return std::nullopt;
  }
}

std::optional<Value> Machine::try_select(const typed::Conditional& n, const Value& condition) {
  const bool on_sites = is_on_sites(condition);
  if (!on_sites && !may_try(&n)) return std::nullopt;
  const Mark before = mark();
  const Expr which = expr(truth(condition));
  const bool total = is_total(n);
  const auto value = both_sides(on_sites, [&]() -> std::optional<Value> {
    const auto a = evaluate_masked(*n.if_true, side(which, on_sites, total)),
               b = evaluate_masked(*n.if_false, side(1.0 - which, on_sites, total));
    if (!is_harmless_since(before, on_sites, false) || terms.size() != before.terms)
      return std::nullopt;
    return a && b ? selected(which, *a, *b) : a ? a : b;
  });
  if (value) return value;
  forget_packs(before, facts_of(*n.if_true));
  forget_packs(before, facts_of(*n.if_false));
  give_up(&n, before);
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
  if (!on_sites && !may_try(&n)) return std::nullopt;
  const Mark before = mark();
  const Expr a = expr(truth(left)), decisive = n.is_and ? a : 1.0 - a;
  const auto value = both_sides(on_sites, [&]() -> std::optional<Value> {
    const auto right = evaluate_masked(*n.right, side(decisive, on_sites, true));
    if (!right || !is_harmless_since(before, on_sites, false)) return std::nullopt;
    const Expr b = expr(truth(*right));
    return whole_number(n.is_and ? graph::select(a, b, 0.0) : graph::select(a, 1.0, b), 0, 1);
  });
  if (value) return value;
  forget_packs(before, facts_of(*n.right));
  give_up(&n, before);
  return std::nullopt;
}

}  // namespace credo::lang
