#include "lang/typed/flow_facts.hpp"

#include <set>

#include "lang/typed/walk.hpp"

namespace credo::lang {
namespace {

using Key = std::pair<bool, int>;  // key of a slot
Key key_of(typed::Slot slot) { return {slot.local, slot.index}; }

// ---- loops

struct LoopWalk : Walk<LoopWalk> {
  std::set<Key> reads, writes;
  bool leaves = false, is_open = false;  // open: its inputs or effects aren't known

  using Walk::look, Walk::visit;
  void assigns(const typed::AssignmentTarget& target) { writes.insert(key_of(target.slot)); }
  void visit(const typed::Break&) { leaves = true; }
  void visit(const typed::Return& s) {
    Walk::visit(s);
    leaves = true;
  }
  void visit(const typed::Message& s) {
    Walk::visit(s);
    leaves |= s.kind != typed::MessageKind::print;
  }
  void look(const typed::VariableUse& n) { reads.insert(key_of(n.slot)); }
  void look(const typed::TargetValue&) { is_open = true; }
  void look(const typed::FunctionName&) { is_open = true; }
  void look(const typed::Call& n) {
    is_open |= n.function.is_user() || n.function.name.ends_with("_rng");
    Walk::look(n);
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
    std::int64_t element;  // element that it needs
    SourceRange range;
    bool whole;
  };
  std::vector<Read> reads;
};

class ElementWalk : public Walk<ElementWalk> {
 public:
  std::map<Key, Uses> uses;

  using Walk::look, Walk::visit;
  bool enters(const typed::Expression& e);
  void assigns(const typed::AssignmentTarget& target);
  void visit(const typed::Declaration& s) {
    Walk::visit(s);
    if (s.value == nullptr) uses[key_of(s.slot)].declared = &s;
    uses[key_of(s.slot)].is_assigned |= s.value != nullptr;
  }
  void visit(const typed::ForRange& s);
  void look(const typed::Call& n);

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

// Interval of a number, a loop's variable, or such a variable plus or minus a number.
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
void ElementWalk::visit(const typed::ForRange& s) {
  const auto first = literal(s.first), last = literal(s.last);
  if (first) loops_[key_of(s.slot)] = {*first, last.value_or(Interval::kAll)};
  Walk::visit(s);
  loops_.erase(key_of(s.slot));
}

void ElementWalk::assigns(const typed::AssignmentTarget& target) {
  Uses& all = uses[key_of(target.slot)];
  all.is_assigned = true;
  const bool is_part = !target.accesses.empty() && !target.accesses[0].indices.empty();
  const auto part = is_part ? interval_of(target.accesses[0].indices[0]) : Interval{};
  all.assigned.push_back(part.value_or(Interval{}));
}

// size(mu) and the like read no element.
void ElementWalk::look(const typed::Call& n) {
  static constexpr std::array<std::string_view, 5> kOfSizes{"size", "num_elements", "rows", "cols",
                                                            "dims"};
  const bool only_size = std::ranges::find(kOfSizes, n.function.name) != kOfSizes.end();
  for (const typed::Expression& argument : n.arguments)
    if (only_size) only_sizes_.insert(&argument);
  Walk::look(n);
}

bool ElementWalk::enters(const typed::Expression& e) {
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

// The first read that needs an element which is never assigned.
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

struct WhileWalk : Walk<WhileWalk> {
  std::vector<const typed::While*> endless;

  using Walk::visit;
  void visit(const typed::While& s) {
    if (never_ends(s)) endless.push_back(&s);
    Walk::visit(s);
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
