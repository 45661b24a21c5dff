// Outcomes are those of the list of statements; variables of transformed data are followed back to the data.
#include "model/data/data_variables.hpp"

#include <set>

#include "lang/typed/each_statement.hpp"
#include "lang/typed/typed.hpp"
#include "model/statements/statements.hpp"

namespace credo::model {
namespace {
namespace typed = lang::typed;
using lang::BaseType;
using Slots = std::set<int>;  // slots of global variables

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

// Sources from which a variable of transformed data is computed, by its slot.
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

// The slots with all their origins, and the origins of those.
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

Slots outcomes_of(const typed::Program& program) {
  Slots slots;
  for (const ModelStatement& entry : model_statements(program)) {
    const bool is_of_data = entry.density != nullptr && !entry.is_tail && entry.calls.empty() &&
                            entry.outcome.expression->autodiff.is_data();
    if (is_of_data) slots.merge(sources_of(*entry.outcome.expression, true));
  }
  return slots;
}
}  // namespace

std::set<int> variables_in(const typed::Expression& e) { return sources_of(e, true); }

std::set<int> computed_outcomes(const typed::Program& program) {
  Slots slots = outcomes_of(program);
  std::erase_if(slots, [&](int slot) {
    const typed::GlobalVariable& g = program.globals[static_cast<std::size_t>(slot)];
    return g.block != typed::BlockKind::transformed_data || is_scalar_int(g.type);
  });
  return slots;
}

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
