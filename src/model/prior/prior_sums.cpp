#include "model/prior/prior_sums.hpp"

#include "lang/typed/loop_facts.hpp"

namespace credo::model {
namespace {
namespace typed = lang::typed;

// The variable that a statement of the outermost level adds to the target; -1 if it adds another expression.
int added_variable(const typed::Statement& s) {
  const auto* increment = std::get_if<typed::TargetIncrement>(&s.node);
  const auto* use =
      increment == nullptr ? nullptr : std::get_if<typed::VariableUse>(&increment->value.node);
  return use == nullptr || use->slot.local ? -1 : use->slot.index;
}

bool reads(std::span<const typed::Statement> statements, int slot, int num_allowed) {
  int count = 0;
  for (const typed::Statement& s : statements) {
    const lang::Facts facts = lang::facts_of(s);
    const lang::SlotUse* use = facts.find({.local = false, .index = slot});
    if (use != nullptr) count += use->reads + use->elements;
  }
  return count > num_allowed;
}

// True if the variable is declared with a number and then only added to.
bool is_only_summed(const typed::Program& program, int slot) {
  int num_whole = 0;
  for (const typed::Statement& s : program.transformed_parameters.statements) {
    const lang::Facts facts = lang::facts_of(s);
    if (const lang::SlotUse* use = facts.find({.local = false, .index = slot}))
      num_whole += use->whole;
    const auto* declared = std::get_if<typed::Declaration>(&s.node);
    if (declared == nullptr || declared->slot.local || declared->slot.index != slot) continue;
    if (declared->value == nullptr || !declared->value->autodiff.is_data()) return false;
  }
  return num_whole == 1 && !reads(program.transformed_parameters.statements, slot, 0);
}
}  // namespace

std::set<int> summed_priors(const typed::Program& program) {
  std::set<int> found;
  for (const typed::Statement& s : program.model.statements) {
    const int slot = added_variable(s);
    if (slot < 0) continue;
    const auto& variable = program.globals[static_cast<std::size_t>(slot)];
    if (variable.block == typed::BlockKind::transformed_parameters && variable.type.is_real() &&
        is_only_summed(program, slot) && !reads(program.model.statements, slot, 1))
      found.insert(slot);
  }
  return found;
}

}  // namespace credo::model
