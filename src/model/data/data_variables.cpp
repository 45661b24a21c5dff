// Two walks: transformed data, for what each of its variables is computed from; the model block,
// for outcomes of densities.
#include "model/data/data_variables.hpp"

#include <set>

#include "lang/typed/each_statement.hpp"
#include "lang/typed/typed.hpp"

namespace credo::model {
namespace {
namespace typed = lang::typed;
using lang::BaseType;
using Slots = std::set<int>;  // of global variables

bool is_scalar_int(const lang::UnsizedType& type) { return type.is(BaseType::integer); }

// ---- expressions

// The global variables whose values make up an expression's: not its indices, nor the counts among
// a function's arguments.
class Sources {
 public:
  explicit Sources(bool through_counts) : through_counts_(through_counts) {}

  void add(const typed::Expression& e) {
    std::visit([&](const auto& node) { visit(e, node); }, e.node);
  }
  const Slots& slots() const { return slots_; }

 private:
  void visit(const typed::Expression& e, const typed::VariableUse& use) {
    if (!use.slot.local && (through_counts_ || !is_scalar_int(e.type)))
      slots_.insert(use.slot.index);
  }
  void visit(const typed::Expression&, const typed::Promotion& node) { add(*node.operand); }
  void visit(const typed::Expression&, const typed::Indexed& node) { add(*node.base); }
  void visit(const typed::Expression&, const typed::Projection& node) { add(*node.base); }
  void visit(const typed::Expression&, const typed::Conditional& node) {
    add(*node.if_true);
    add(*node.if_false);
  }
  void visit(const typed::Expression&, const typed::Call& node) {
    for (const typed::Expression& argument : node.arguments)
      if (node.is_operator || !is_scalar_int(argument.type)) add(argument);
  }
  void visit(const typed::Expression&, const typed::ArrayLiteral& node) { add_all(node.elements); }
  void visit(const typed::Expression&, const typed::RowVectorLiteral& node) {
    add_all(node.elements);
  }
  void visit(const typed::Expression&, const typed::MatrixLiteral& node) { add_all(node.rows); }
  void visit(const typed::Expression&, const typed::TupleLiteral& node) { add_all(node.elements); }
  void visit(const typed::Expression&, const auto&) {}
  void add_all(std::span<const typed::Expression> all) {
    for (const typed::Expression& e : all) add(e);
  }

  bool through_counts_;
  Slots slots_;
};

Slots sources_of(const typed::Expression& e, bool through_counts) {
  Sources sources(through_counts);
  sources.add(e);
  return sources.slots();
}

// ---- transformed data

// What a variable of transformed data is computed from, by its slot.
using Origins = std::map<int, Slots>;

void add_origin(Origins& origins, const typed::Slot& target, const typed::Expression& value) {
  if (!target.local) origins[target.index].merge(sources_of(value, false));
}

Origins origins_of(const typed::Block& block) {
  Origins origins;
  lang::for_each_statement(block.statements, [&](const typed::Statement& s) {
    if (const auto* node = std::get_if<typed::Declaration>(&s.node); node && node->value)
      add_origin(origins, node->slot, *node->value);
    if (const auto* node = std::get_if<typed::Assignment>(&s.node))
      add_origin(origins, node->target.slot, node->value);
    if (const auto* node = std::get_if<typed::Unpacking>(&s.node))
      for (const auto& leaf : node->leaves) add_origin(origins, leaf.target.slot, node->value);
  });
  return origins;
}

// With everything behind what is in it.
Slots reached_from(Slots slots, const Origins& origins) {
  for (std::size_t before = 0; before != slots.size();) {
    before = slots.size();
    for (const int slot : Slots(slots))
      if (const auto found = origins.find(slot); found != origins.end())
        slots.insert(found->second.begin(), found->second.end());
  }
  return slots;
}

// ---- outcomes

bool is_density(std::string_view name) {
  return name.ends_with("_lpdf") || name.ends_with("_lpmf") || name.ends_with("_lupdf") ||
         name.ends_with("_lupmf");
}

// What a call is a density of; null if it is none.
const typed::Expression* outcome_of(const typed::Call& call) {
  const bool is_one = !call.arguments.empty() && is_density(call.function.name);
  return is_one ? call.arguments.data() : nullptr;
}

class Outcomes {
 public:
  void add(const typed::Call& call) {
    const typed::Expression* outcome = outcome_of(call);
    if (outcome != nullptr && outcome->autodiff.is_data()) slots_.merge(sources_of(*outcome, true));
    for (const typed::Expression& argument : call.arguments) look_into(argument);
  }
  void look_into(const typed::Expression& e) {
    if (const auto* call = std::get_if<typed::Call>(&e.node)) add(*call);
    if (const auto* promotion = std::get_if<typed::Promotion>(&e.node))
      look_into(*promotion->operand);
    if (const auto* either = std::get_if<typed::Conditional>(&e.node)) {
      look_into(*either->if_true);
      look_into(*either->if_false);
    }
  }
  Slots take() { return std::move(slots_); }

 private:
  Slots slots_;
};

Slots outcomes_of(const typed::Program& program) {
  Outcomes outcomes;
  const auto look = [&](const typed::Statement& s) {
    if (const auto* node = std::get_if<typed::Distribution>(&s.node)) outcomes.add(node->density);
    if (const auto* node = std::get_if<typed::TargetIncrement>(&s.node))
      outcomes.look_into(node->value);
    if (const auto* node = std::get_if<typed::Assignment>(&s.node)) outcomes.look_into(node->value);
    if (const auto* node = std::get_if<typed::Declaration>(&s.node); node && node->value)
      outcomes.look_into(*node->value);
  };
  // Densities may be summed up among the transformed parameters, and added to the target later.
  lang::for_each_statement(program.transformed_parameters.statements, look);
  lang::for_each_statement(program.model.statements, look);
  return outcomes.take();
}
}  // namespace

std::set<int> variables_in(const typed::Expression& e) { return sources_of(e, true); }

std::vector<density::DataVariable> data_variables(const typed::Program& program) {
  const Slots observed = reached_from(outcomes_of(program), origins_of(program.transformed_data));
  std::vector<density::DataVariable> all;
  for (std::size_t slot = 0; slot < program.globals.size(); ++slot) {
    const typed::GlobalVariable& variable = program.globals[slot];
    if (variable.block != typed::BlockKind::data) continue;
    all.push_back({.name = variable.name,
                   .whole = variable.type.base == BaseType::integer,
                   .observed = observed.contains(static_cast<int>(slot))});
  }
  return all;
}

}  // namespace credo::model
