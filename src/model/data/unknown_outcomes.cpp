#include "model/data/unknown_outcomes.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "lang/typed/each_statement.hpp"
#include "lang/typed/loop_facts.hpp"
#include "model/statements/statements.hpp"

namespace credo::model {
namespace {
namespace typed = lang::typed;

// Variables whose values aren't known, and which outcome each of them needs.
class UnknownValues {
 public:
  explicit UnknownValues(const std::set<int>& outcomes) {
    for (const int slot : outcomes) needs_.emplace(key({.local = false, .index = slot}), slot);
  }
  bool contains(typed::Slot slot) const { return needs_.contains(key(slot)); }
  bool add(typed::Slot slot, int outcome) { return needs_.emplace(key(slot), outcome).second; }
  // The outcome that the variable needs, with the place of the read; empty if its value is known.
  std::optional<OutcomeRead> reason(typed::Slot slot, lang::SourceRange at) const {
    const auto found = needs_.find(key(slot));
    return found == needs_.end() ? std::nullopt
                                 : std::optional(OutcomeRead{.slot = found->second, .range = at});
  }

  // The first read of an unknown variable; empty if everything is known.
  std::optional<OutcomeRead> in(const typed::Expression& e) const {
    for (const lang::SlotUse& use : lang::facts_of(e).slots)
      if (const auto found = reason(use.slot, e.range)) return found;
    return {};
  }
  std::optional<OutcomeRead> in(const typed::Box& e) const {
    return e == nullptr ? std::nullopt : in(*e);
  }
  std::optional<OutcomeRead> in(const typed::IndexArgument& index) const {
    return either(in(index.first), in(index.last));
  }
  std::optional<OutcomeRead> in(const typed::Access& access) const { return any(access.indices); }
  std::optional<OutcomeRead> in(const typed::AssignmentTarget& target) const {
    return any(target.accesses);
  }
  std::optional<OutcomeRead> in(const typed::SizedType& type) const {
    auto found = either(any(type.array_sizes), any(type.sizes));
    for (const typed::Box* bound : {&type.lower, &type.upper, &type.offset, &type.multiplier})
      found = either(found, in(*bound));
    return either(found, any(type.elements));
  }
  template <class T>
  std::optional<OutcomeRead> any(const std::vector<T>& all) const {
    for (const T& one : all)
      if (const auto found = in(one)) return found;
    return {};
  }
  static std::optional<OutcomeRead> either(std::optional<OutcomeRead> a,
                                           std::optional<OutcomeRead> b) {
    return a ? a : b;
  }

  // The first read of the statement itself; nested statements are not searched.
  std::optional<OutcomeRead> in(const typed::Statement& s) const {
    return std::visit([&](const auto& node) { return read_by(node); }, s.node);
  }

 private:
  static std::pair<bool, int> key(typed::Slot slot) { return {slot.local, slot.index}; }

  template <class T>
  std::optional<OutcomeRead> read_by(const T&) const {
    return {};  // no expressions: Empty, Break, Continue, Sequence, Profile
  }
  std::optional<OutcomeRead> read_by(const typed::Declaration& s) const {
    return either(in(s.value), in(*s.type));
  }
  std::optional<OutcomeRead> read_by(const typed::Assignment& s) const {
    return either(in(s.value), in(s.target));
  }
  std::optional<OutcomeRead> read_by(const typed::Unpacking& s) const {
    auto found = in(s.value);
    for (const auto& leaf : s.leaves) found = either(found, in(leaf.target));
    return found;
  }
  std::optional<OutcomeRead> read_by(const typed::TargetIncrement& s) const { return in(s.value); }
  std::optional<OutcomeRead> read_by(const typed::JacobianIncrement& s) const {
    return in(s.value);
  }
  std::optional<OutcomeRead> read_by(const typed::Distribution& s) const {
    return either(any(s.density.arguments), either(in(s.lower), in(s.upper)));
  }
  std::optional<OutcomeRead> read_by(const typed::If& s) const { return in(s.condition); }
  std::optional<OutcomeRead> read_by(const typed::While& s) const { return in(s.condition); }
  std::optional<OutcomeRead> read_by(const typed::ForRange& s) const {
    return either(in(s.first), in(s.last));
  }
  std::optional<OutcomeRead> read_by(const typed::ForEach& s) const { return in(s.container); }
  std::optional<OutcomeRead> read_by(const typed::Return& s) const { return in(s.value); }
  std::optional<OutcomeRead> read_by(const typed::CallStatement& s) const {
    return any(s.call.arguments);
  }
  std::optional<OutcomeRead> read_by(const typed::Message& s) const { return any(s.arguments); }

  std::map<std::pair<bool, int>, int> needs_;
};

// ---- the model block

// Distributions of counts whose number of trials is the sum of the outcome.
bool takes_total(const typed::Call& density) {
  const std::string_view name = density.function.name;
  return name.starts_with("multinomial") || name.starts_with("dirichlet_multinomial");
}

bool can_be_drawn(const ModelStatement& entry) {
  return entry.function == nullptr && !takes_total(*entry.density) &&
         (entry.distribution != nullptr || !entry.adds_increment);
}

// Indices aren't the outcome.
std::optional<OutcomeRead> read_in_indices(const UnknownValues& unknown,
                                           const typed::Expression& outcome) {
  if (const auto* promotion = std::get_if<typed::Promotion>(&outcome.node))
    return read_in_indices(unknown, *promotion->operand);
  if (const auto* indexed = std::get_if<typed::Indexed>(&outcome.node))
    return UnknownValues::either(unknown.any(indexed->indices),
                                 read_in_indices(unknown, *indexed->base));
  if (const auto* call = std::get_if<typed::Call>(&outcome.node))  // it only reshapes
    return read_in_indices(unknown, call->arguments[0]);
  return {};
}

std::optional<OutcomeRead> read_beside_outcome(const UnknownValues& unknown,
                                               const ModelStatement& entry) {
  auto found = read_in_indices(unknown, entry.density->arguments[0]);
  for (const StatementArgument& argument : entry.arguments)
    found = UnknownValues::either(found, unknown.in(*argument.value));
  for (const typed::Expression* bound : {entry.lower, entry.upper})
    if (!found && bound != nullptr) found = unknown.in(*bound);
  return found;
}

// The statements that are one density of a variable, or of elements of it, alone.
std::map<std::int32_t, ModelStatement> own_densities(const typed::Program& program) {
  std::map<std::int32_t, ModelStatement> found;
  for (ModelStatement& entry : model_statements(program))
    if (entry.is_whole && entry.density != nullptr && !entry.is_tail && entry.calls.empty() &&
        outcome_of_prior(entry.density->arguments[0]) != nullptr)
      found.emplace(entry.statement, std::move(entry));
  return found;
}

// ---- generated quantities

// Follows unknown values through a block until nothing new is reached. A statement that needs one is left out, and so is
// every assignment to a variable of which a part needs one.
class QuantityFlow {
 public:
  QuantityFlow(const typed::Program& program, const std::set<int>& outcomes)
      : runs(program.statement_ranges.size(), 1), program_(program), unknown_(outcomes) {}

  void follow() {
    do {
      changed_ = false;
      all(program_.generated_quantities.statements);
    } while (changed_);
  }

  std::vector<char> runs;
  std::map<int, OutcomeRead> quantities;

 private:
  void leave_out(const typed::Statement& s) {
    changed_ |= std::exchange(runs[static_cast<std::size_t>(s.id)], 0) != 0;
  }
  void reach(typed::Slot slot, const OutcomeRead& read) {
    changed_ |= unknown_.add(slot, read.slot);
    if (!slot.local) quantities.emplace(slot.index, read);
  }

  void all(std::span<const typed::Statement> statements) {
    for (const typed::Statement& s : statements) one(s);
  }
  void one(const typed::Statement& s) {
    std::visit([&](const auto& node) { look(node, s); }, s.node);
  }
  template <class T>
  void look(const T&, const typed::Statement& s) {
    if (unknown_.in(s)) leave_out(s);
  }
  void look(const typed::Declaration& d, const typed::Statement& s) {
    const auto read = unknown_.in(s);
    if (read) reach(d.slot, *read);
    if (read || (d.value != nullptr && unknown_.contains(d.slot))) leave_out(s);
  }
  void look(const typed::Assignment& a, const typed::Statement& s) {
    if (const auto read = unknown_.in(s)) reach(a.target.slot, *read);
    if (unknown_.contains(a.target.slot)) leave_out(s);
  }
  void look(const typed::Unpacking& u, const typed::Statement& s) {
    auto read = unknown_.in(s);
    for (const auto& leaf : u.leaves)
      if (!read) read = unknown_.reason(leaf.target.slot, u.value.range);
    if (!read) return;
    for (const auto& leaf : u.leaves) reach(leaf.target.slot, *read);
    leave_out(s);
  }
  void look(const typed::Sequence& braces, const typed::Statement&) { all(braces.statements); }
  void look(const typed::Profile& profile, const typed::Statement&) { all(profile.statements); }
  void look(const typed::If& decision, const typed::Statement& s) {
    if (const auto read = unknown_.in(s)) return leave_out_all(s, *read);
    one(*decision.if_true);
    if (decision.if_false) one(*decision.if_false);
  }
  void look(const typed::While& loop, const typed::Statement& s) { look_at_loop(*loop.body, s); }
  void look(const typed::ForRange& loop, const typed::Statement& s) { look_at_loop(*loop.body, s); }
  void look(const typed::ForEach& loop, const typed::Statement& s) { look_at_loop(*loop.body, s); }

  void look_at_loop(const typed::Statement& body, const typed::Statement& s) {
    if (const auto read = unknown_.in(s)) return leave_out_all(s, *read);
    const auto outside = std::exchange(leaves_loop_, {});
    one(body);
    if (const auto read = std::exchange(leaves_loop_, outside)) leave_out_all(s, *read);
  }

  // If a condition is unknown, all variables that the statement assigns are unknown.
  void leave_out_all(const typed::Statement& whole, const OutcomeRead& read) {
    lang::for_each_statement(whole, [&](const typed::Statement& s) {
      leave_out(s);
      if (const auto* node = std::get_if<typed::Declaration>(&s.node)) reach(node->slot, read);
      if (const auto* node = std::get_if<typed::Assignment>(&s.node))
        reach(node->target.slot, read);
      if (const auto* node = std::get_if<typed::Unpacking>(&s.node))
        for (const auto& leaf : node->leaves) reach(leaf.target.slot, read);
      if (std::holds_alternative<typed::Break>(s.node) ||
          std::holds_alternative<typed::Continue>(s.node))
        leaves_loop_ = read;
    });
  }

  const typed::Program& program_;
  UnknownValues unknown_;
  bool changed_ = false;
  std::optional<OutcomeRead> leaves_loop_;  // a statement that was left out may have ended a loop
};
}  // namespace

void require_unread(const ProgramSource& source, int slot) {
  const typed::Program& program = source.program;
  const UnknownValues unknown({slot});
  const std::string& name = program.globals[static_cast<std::size_t>(slot)].name;
  const auto require = [&](const std::optional<OutcomeRead>& read, std::string_view what) {
    if (!read) return;
    throw Error(
        ErrorCode::data,
        fmt::format("{} is not in the data, and {} reads it: {}", name, what,
                    source.source.text(read->range)),
        source.source.where(read->range),
        fmt::format("give {}; new data can do without an outcome only where no expression but "
                    "its own density reads it",
                    name));
  };
  for (const typed::GlobalVariable& variable : program.globals)
    if (variable.sized_type != nullptr && variable.block != typed::BlockKind::generated_quantities)
      require(unknown.in(*variable.sized_type), "the declaration of " + variable.name);
  for (const typed::GlobalVariable& variable : program.globals)
    if (variable.sized_type != nullptr)
      require(UnknownValues::either(unknown.any(variable.sized_type->array_sizes),
                                    unknown.any(variable.sized_type->sizes)),
              "a size of " + variable.name);
  lang::for_each_statement(program.transformed_data.statements, [&](const typed::Statement& s) {
    require(unknown.in(s), "transformed data");
  });
  lang::for_each_statement(
      program.transformed_parameters.statements,
      [&](const typed::Statement& s) { require(unknown.in(s), "a transformed parameter"); });
}

std::optional<OutcomeRead> read_in_model(const typed::Program& program, const std::set<int>& slots,
                                         OutcomeUse use) {
  const UnknownValues unknown(slots);
  const std::map<std::int32_t, ModelStatement> own = own_densities(program);
  std::optional<OutcomeRead> found;
  lang::for_each_statement(program.model.statements, [&](const typed::Statement& s) {
    if (found) return;
    const auto entry = own.find(s.id);
    const bool is_left_out =
        entry != own.end() && (use == OutcomeUse::any || can_be_drawn(entry->second));
    found = is_left_out ? read_beside_outcome(unknown, entry->second) : unknown.in(s);
  });
  return found;
}

bool is_read_before_model(const typed::Program& program, const std::set<int>& slots) {
  const UnknownValues unknown(slots);
  bool found = false;
  lang::for_each_statement(
      program.transformed_parameters.statements,
      [&](const typed::Statement& s) { found = found || unknown.in(s).has_value(); });
  return found;
}

UnknownOutcomes unknown_outcomes(const ProgramSource& source, std::set<int> slots) {
  UnknownOutcomes result{.slots = std::move(slots)};
  if (result.empty()) return result;
  result.in_model = read_in_model(source.program, result.slots, OutcomeUse::drawn);
  QuantityFlow flow(source.program, result.slots);
  flow.follow();
  result.runs = std::move(flow.runs);
  result.quantities = std::move(flow.quantities);
  return result;
}

}  // namespace credo::model
