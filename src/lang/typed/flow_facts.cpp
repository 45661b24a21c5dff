#include "lang/typed/flow_facts.hpp"

#include <set>

namespace credo::lang {
namespace {

// Visits every statement and expression inside; what it finds, the heirs say.
class Walk {
 public:
  virtual ~Walk() = default;
  void statement(const typed::Statement& s) {
    std::visit([&](const auto& node) { visit(node); }, s.node);
  }
  void expression(const typed::Expression& e) {
    if (!enter(e)) return;
    std::visit([&](const auto& node) { look(node); }, e.node);
  }
  void box(const typed::Box& e) {
    if (e != nullptr) expression(*e);
  }
  template <class Parts>
  void each(const Parts& parts) {
    for (const auto& part : parts) expression(part);
  }
  void statements(std::span<const typed::Statement> all) {
    for (const auto& s : all) statement(s);
  }
  void indices(std::span<const typed::IndexArgument> all) {
    for (const auto& index : all) {
      box(index.first);
      box(index.last);
    }
  }

 protected:
  virtual bool enter(const typed::Expression&) { return true; }  // false: not what is inside
  virtual void assign(const typed::AssignmentTarget&) {}
  virtual void declare(const typed::Declaration&) {}
  virtual void leave() {}  // break, return, reject, fatal_error
  virtual void call(const typed::Call&) {}
  virtual void loop(const typed::ForRange& s) { statement(*s.body); }
  virtual void endless_candidate(const typed::While&) {}

 private:
  void target(const typed::AssignmentTarget& t) {
    for (const typed::Access& access : t.accesses) indices(access.indices);
    assign(t);
  }
  void sizes(const typed::SizedType& type) {
    each(type.array_sizes);
    each(type.sizes);
    for (const typed::Box* bound : {&type.lower, &type.upper, &type.offset, &type.multiplier})
      box(*bound);
    for (const auto& element : type.elements) sizes(element);
  }

  void visit(const typed::Empty&) {}
  void visit(const typed::Continue&) {}
  void visit(const typed::Break&) { leave(); }
  void visit(const typed::Return& s) {
    box(s.value);
    leave();
  }
  void visit(const typed::Message& s) {
    each(s.arguments);
    if (s.kind != typed::MessageKind::print) leave();
  }
  void visit(const typed::Declaration& s) {
    sizes(*s.type);
    box(s.value);
    declare(s);
  }
  void visit(const typed::Assignment& s) {
    expression(s.value);
    target(s.target);
  }
  void visit(const typed::Unpacking& s) {
    expression(s.value);
    for (const auto& leaf : s.leaves) target(leaf.target);
  }
  void visit(const typed::TargetIncrement& s) { expression(s.value); }
  void visit(const typed::JacobianIncrement& s) { expression(s.value); }
  void visit(const typed::Distribution& s) {
    look(s.density);
    box(s.lower);
    box(s.upper);
  }
  void visit(const typed::If& s) {
    expression(s.condition);
    statement(*s.if_true);
    if (s.if_false) statement(*s.if_false);
  }
  void visit(const typed::While& s) {
    endless_candidate(s);
    expression(s.condition);
    statement(*s.body);
  }
  void visit(const typed::ForRange& s) {
    expression(s.first);
    expression(s.last);
    loop(s);
  }
  void visit(const typed::ForEach& s) {
    expression(s.container);
    statement(*s.body);
  }
  void visit(const typed::Sequence& s) { statements(s.statements); }
  void visit(const typed::Profile& s) { statements(s.statements); }
  void visit(const typed::CallStatement& s) { look(s.call); }

  template <class T>
  void look(const T&) {}  // literals, variables, names
  void look(const typed::Promotion& n) { box(n.operand); }
  void look(const typed::Conditional& n) {
    box(n.condition);
    box(n.if_true);
    box(n.if_false);
  }
  void look(const typed::ShortCircuit& n) {
    box(n.left);
    box(n.right);
  }
  void look(const typed::Call& n) {
    call(n);
    each(n.arguments);
  }
  void look(const typed::Indexed& n) {
    box(n.base);
    indices(n.indices);
  }
  void look(const typed::Projection& n) { box(n.base); }
  void look(const typed::ArrayLiteral& n) { each(n.elements); }
  void look(const typed::RowVectorLiteral& n) { each(n.elements); }
  void look(const typed::MatrixLiteral& n) { each(n.rows); }
  void look(const typed::TupleLiteral& n) { each(n.elements); }
};

using Key = std::pair<bool, int>;  // of a slot
Key key_of(typed::Slot slot) { return {slot.local, slot.index}; }

// ---- loops

class LoopWalk final : public Walk {
 public:
  std::set<Key> reads, writes;
  bool leaves = false, is_open = false;  // open: what it depends on or does isn't known

 protected:
  bool enter(const typed::Expression& e) override {
    if (const auto* use = std::get_if<typed::VariableUse>(&e.node)) reads.insert(key_of(use->slot));
    is_open |= std::holds_alternative<typed::TargetValue>(e.node);
    return true;
  }
  void assign(const typed::AssignmentTarget& target) override {
    writes.insert(key_of(target.slot));
  }
  void leave() override { leaves = true; }
  void call(const typed::Call& n) override {
    is_open |= n.function.is_user() || n.function.name.ends_with("_rng");
    for (const typed::Expression& argument : n.arguments)
      is_open |= std::holds_alternative<typed::FunctionName>(argument.node);
  }
};

// ---- elements

// Elements [first, last] of the first dimension.
struct Interval {
  std::int64_t first = 1, last = kAll;
  static constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();
  bool has(std::int64_t i) const { return first <= i && i <= last; }
};

struct Uses {
  const typed::Declaration* declared = nullptr;  // without a value
  bool is_assigned = false;
  std::vector<Interval> assigned;
  struct Read {
    std::int64_t element;  // that it needs
    SourceRange range;
    bool whole;
  };
  std::vector<Read> reads;
};

class ElementWalk final : public Walk {
 public:
  std::map<Key, Uses> uses;

 protected:
  bool enter(const typed::Expression& e) override;
  void assign(const typed::AssignmentTarget& target) override;
  void declare(const typed::Declaration& s) override {
    if (s.value == nullptr) uses[key_of(s.slot)].declared = &s;
    uses[key_of(s.slot)].is_assigned |= s.value != nullptr;
  }
  void loop(const typed::ForRange& s) override;
  void call(const typed::Call& n) override;

 private:
  std::optional<Interval> interval_of(const typed::IndexArgument& index) const;
  std::optional<Interval> interval_of(const typed::Expression& index) const;
  std::map<Key, Interval> loops_;  // those that the walk is inside of, where their start is known
  std::set<const typed::Expression*> only_sizes_;
};

std::optional<std::int64_t> literal(const typed::Expression& e) {
  const auto* number = std::get_if<typed::IntLiteral>(&e.node);
  return number == nullptr ? std::nullopt : std::optional<std::int64_t>(number->value);
}

// Of a number, a loop's variable, and such a variable plus or minus a number.
std::optional<Interval> ElementWalk::interval_of(const typed::Expression& index) const {
  if (const auto number = literal(index)) return Interval{*number, *number};
  if (const auto* use = std::get_if<typed::VariableUse>(&index.node)) {
    const auto loop = loops_.find(key_of(use->slot));
    return loop == loops_.end() ? std::nullopt : std::optional(loop->second);
  }
  const auto* sum = std::get_if<typed::Call>(&index.node);
  if (sum == nullptr || !sum->is_operator || sum->arguments.size() != 2) return std::nullopt;
  const auto left = interval_of(sum->arguments[0]);
  const auto right = literal(sum->arguments[1]);
  if (!left || !right || (sum->function.name != "add" && sum->function.name != "subtract"))
    return std::nullopt;
  const std::int64_t step = sum->function.name == "add" ? *right : -*right;
  return Interval{left->first + step,
                  left->last == Interval::kAll ? Interval::kAll : left->last + step};
}

std::optional<Interval> ElementWalk::interval_of(const typed::IndexArgument& index) const {
  if (index.kind == typed::IndexKind::single) return interval_of(*index.first);
  if (index.kind == typed::IndexKind::all) return Interval{};
  if (index.kind != typed::IndexKind::range) return std::nullopt;
  const auto first = index.first ? literal(*index.first) : std::optional<std::int64_t>(1);
  if (!first) return std::nullopt;
  const auto last = index.last ? literal(*index.last) : std::nullopt;
  return Interval{*first, last.value_or(Interval::kAll)};
}

// A loop's variable begins at a number, or it may be anything.
void ElementWalk::loop(const typed::ForRange& s) {
  const auto first = literal(s.first), last = literal(s.last);
  if (first) loops_[key_of(s.slot)] = {*first, last.value_or(Interval::kAll)};
  statement(*s.body);
  loops_.erase(key_of(s.slot));
}

void ElementWalk::assign(const typed::AssignmentTarget& target) {
  Uses& all = uses[key_of(target.slot)];
  all.is_assigned = true;
  const bool is_part = !target.accesses.empty() && !target.accesses[0].indices.empty();
  const auto part = is_part ? interval_of(target.accesses[0].indices[0]) : Interval{};
  all.assigned.push_back(part.value_or(Interval{}));
}

// size(mu) and the like read no element.
void ElementWalk::call(const typed::Call& n) {
  static constexpr std::array<std::string_view, 5> kOfSizes{"size", "num_elements", "rows", "cols",
                                                            "dims"};
  if (std::find(kOfSizes.begin(), kOfSizes.end(), n.function.name) == kOfSizes.end()) return;
  for (const typed::Expression& argument : n.arguments) only_sizes_.insert(&argument);
}

bool ElementWalk::enter(const typed::Expression& e) {
  if (only_sizes_.contains(&e)) return false;
  if (const auto* use = std::get_if<typed::VariableUse>(&e.node))
    uses[key_of(use->slot)].reads.push_back({1, e.range, true});
  const auto* indexed = std::get_if<typed::Indexed>(&e.node);
  const auto* base =
      indexed == nullptr ? nullptr : std::get_if<typed::VariableUse>(&indexed->base->node);
  if (base == nullptr) return true;
  const auto part = interval_of(indexed->indices[0]);
  if (part && part->first <= part->last)
    uses[key_of(base->slot)].reads.push_back({part->first, e.range, false});
  else
    uses[key_of(base->slot)].reads.push_back({0, e.range, false});  // some element
  indices(indexed->indices);
  return false;
}

// The first read that needs what is never assigned.
std::optional<Unset> unset_in(const Uses& uses) {
  if (uses.declared == nullptr || has_size_zero(*uses.declared->type)) return std::nullopt;
  const typed::Declaration& variable = *uses.declared;
  const bool is_container = !variable.type->array_sizes.empty() || !variable.type->sizes.empty();
  for (const Uses::Read& read : uses.reads) {
    const bool is_given = std::any_of(uses.assigned.begin(), uses.assigned.end(),
                                      [&](const Interval& part) { return part.has(read.element); });
    if (!uses.is_assigned) return Unset{variable.name, read.range, {}, true};
    if (is_container && read.element >= 1 && !is_given)
      return Unset{variable.name + "[" + std::to_string(read.element) + "]", read.range, {}, false};
  }
  return std::nullopt;
}

void add_unset(const ElementWalk& walk, bool local, std::span<const typed::Variable> variables,
               std::vector<Unset>& all) {
  for (const auto& [key, uses] : walk.uses) {
    if (key.first != local) continue;
    auto unset = unset_in(uses);
    if (!unset) continue;
    unset->declared = variables[static_cast<std::size_t>(key.second)].declared;
    all.push_back(std::move(*unset));
  }
}

class WhileWalk final : public Walk {
 public:
  std::vector<const typed::While*> endless;

 protected:
  void endless_candidate(const typed::While& s) override {
    if (never_ends(s)) endless.push_back(&s);
  }
};

constexpr std::array kRunning{typed::BlockKind::transformed_data,
                              typed::BlockKind::transformed_parameters, typed::BlockKind::model,
                              typed::BlockKind::generated_quantities};
}  // namespace

bool never_ends(const typed::While& loop) {
  LoopWalk condition, body;
  condition.expression(loop.condition);
  body.statement(*loop.body);
  if (literal(loop.condition) == 0) return false;  // it never begins
  const bool changes = std::any_of(condition.reads.begin(), condition.reads.end(),
                                   [&](const Key& key) { return body.writes.contains(key); });
  return !changes && !condition.is_open && !body.leaves && !body.is_open;
}

std::vector<const typed::While*> endless_loops(const typed::Program& program) {
  WhileWalk walk;
  for (const typed::BlockKind block : kRunning) walk.statements(program.block(block).statements);
  for (const typed::Function& function : program.functions)
    if (function.body) walk.statement(*function.body);
  return walk.endless;
}

std::vector<Unset> unset_elements(const typed::Program& program) {
  std::vector<Unset> all;
  ElementWalk globals;  // visible in all blocks
  for (const typed::BlockKind block : kRunning) {
    ElementWalk locals;
    locals.statements(program.block(block).statements);
    add_unset(locals, true, program.block(block).locals, all);
    globals.statements(program.block(block).statements);
  }
  const std::vector<typed::Variable> variables(program.globals.begin(), program.globals.end());
  add_unset(globals, false, variables, all);
  for (const typed::Function& function : program.functions) {
    if (!function.body) continue;
    ElementWalk locals;
    locals.statement(*function.body);
    add_unset(locals, true, function.variables, all);
  }
  return all;
}

}  // namespace credo::lang
