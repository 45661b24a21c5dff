#include "verdict/places.hpp"

#include "lang/density_call.hpp"
#include "lang/loop_facts.hpp"

namespace credo::verdict {
namespace typed = lang::typed;
namespace {
using Visit = std::function<void(const DensityUse&)>;
void visit_all(std::span<const typed::Statement> statements, const Visit& visit);
void visit_one(const typed::Statement& s, const Visit& visit);
const typed::Statement* declaration_of(const model::ProgramSource& program,
                                       std::string_view parameter);
std::size_t end_of_bounds(std::string_view text, std::size_t open);
}  // namespace

const typed::GlobalVariable* find_parameter(const model::ProgramSource& program,
                                            std::string_view name) {
  for (const typed::GlobalVariable& variable : program.program.globals)
    if (variable.name == name && variable.block == typed::BlockKind::parameters) return &variable;
  return nullptr;
}

const typed::GlobalVariable* find_output(const model::ProgramSource& program,
                                         std::string_view name) {
  using typed::BlockKind;
  for (const typed::GlobalVariable& variable : program.program.globals)
    if (variable.name == name && (variable.block == BlockKind::parameters ||
                                  variable.block == BlockKind::transformed_parameters ||
                                  variable.block == BlockKind::generated_quantities))
      return &variable;
  return nullptr;
}

void for_each_density(const model::ProgramSource& program, const Visit& visit) {
  visit_all(program.program.model.statements, visit);
}

bool mentions(const typed::Expression& e, int slot) {
  return lang::facts_of(e).find({.local = false, .index = slot}) != nullptr;
}

int variable_in(const typed::Expression& e) {
  if (const auto* promotion = std::get_if<typed::Promotion>(&e.node))
    return variable_in(*promotion->operand);
  if (const auto* indexed = std::get_if<typed::Indexed>(&e.node))
    return variable_in(*indexed->base);
  const auto* use = std::get_if<typed::VariableUse>(&e.node);
  return use != nullptr && !use->slot.local ? use->slot.index : -1;
}

namespace {
// Variables with repetitions: x * x has no sign of x's.
void collect_factors(const typed::Expression& e, std::vector<int>& slots) {
  static constexpr std::array<std::string_view, 4> kProducts{"multiply", "elt_multiply", "divide",
                                                             "elt_divide"};
  static constexpr std::array<std::string_view, 6> kOfOne{"sqrt",       "inv",       "inv_sqrt",
                                                          "rep_vector", "rep_array", "to_vector"};
  const auto is_one_of = [](const auto& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (const auto* promotion = std::get_if<typed::Promotion>(&e.node))
    return collect_factors(*promotion->operand, slots);
  const auto* call = std::get_if<typed::Call>(&e.node);
  if (call == nullptr) {
    if (const int slot = variable_in(e); slot >= 0) slots.push_back(slot);
    return;
  }
  const bool is_product = is_one_of(kProducts, call->function.name);
  if (call->function.is_user() || (!is_product && !is_one_of(kOfOne, call->function.name))) return;
  for (std::size_t k = 0; k < (is_product ? call->arguments.size() : 1); ++k)
    collect_factors(call->arguments[k], slots);
}
}  // namespace

std::vector<int> factors_in(const typed::Expression& e) {
  std::vector<int> all, once;
  collect_factors(e, all);
  std::copy_if(all.begin(), all.end(), std::back_inserter(once),
               [&](int slot) { return std::count(all.begin(), all.end(), slot) == 1; });
  return once;
}

std::optional<lang::SourceRange> place_of_scale(const model::ProgramSource& program,
                                                std::string_view scale, std::string_view outcome) {
  const auto slot_of = [&](std::string_view name) {
    const auto* variable = find_parameter(program, name);
    return variable == nullptr ? -1 : static_cast<int>(variable - program.program.globals.data());
  };
  const int scale_slot = slot_of(scale), outcome_slot = slot_of(outcome);
  std::optional<lang::SourceRange> place;
  for_each_density(program, [&](const DensityUse& use) {
    if (place || use.call.arguments.empty() || scale_slot < 0) return;
    const bool is_outcome = outcome_slot >= 0 && mentions(use.call.arguments.front(), outcome_slot);
    const bool is_scale = std::any_of(
        use.call.arguments.begin() + 1, use.call.arguments.end(),
        [&](const typed::Expression& argument) { return mentions(argument, scale_slot); });
    if (is_outcome && is_scale) place = use.statement.range;
  });
  return place;
}

// The declaration is one name in the program's own file, its bounds the first <...> behind its
// beginning.
std::optional<std::string> text_without_bounds(const model::ProgramSource& program,
                                               std::string_view parameter) {
  const typed::GlobalVariable* variable = find_parameter(program, parameter);
  const typed::Statement* statement = declaration_of(program, parameter);
  if (variable == nullptr || statement == nullptr || program.source.files().size() != 1)
    return std::nullopt;
  if (variable->sized_type == nullptr ||
      variable->sized_type->constraint != typed::Constraint::bounds)
    return std::nullopt;
  std::string text = program.source.files().front().text;
  const std::size_t open = text.find('<', statement->range.begin);
  if (open == std::string::npos || open > variable->declared.begin) return std::nullopt;
  const std::size_t close = end_of_bounds(text, open);
  if (close == std::string::npos) return std::nullopt;
  return text.erase(open, close - open + 1);
}

namespace {
void visit_all(std::span<const typed::Statement> statements, const Visit& visit) {
  for (const typed::Statement& s : statements) visit_one(s, visit);
}

void visit_one(const typed::Statement& s, const Visit& visit) {
  if (const auto* d = std::get_if<typed::Distribution>(&s.node))
    return visit({.statement = s, .call = d->density});
  if (const auto* t = std::get_if<typed::TargetIncrement>(&s.node)) {
    const auto* call = std::get_if<typed::Call>(&t->value.node);
    if (call != nullptr && !call->function.is_user() &&
        lang::distribution_function(call->function.name))
      visit({.statement = s, .call = *call});
    return;
  }
  if (const auto* braces = std::get_if<typed::Sequence>(&s.node))
    return visit_all(braces->statements, visit);
  if (const auto* profile = std::get_if<typed::Profile>(&s.node))
    return visit_all(profile->statements, visit);
  if (const auto* loop = std::get_if<typed::ForRange>(&s.node))
    return visit_one(*loop->body, visit);
  if (const auto* loop = std::get_if<typed::ForEach>(&s.node)) return visit_one(*loop->body, visit);
  if (const auto* loop = std::get_if<typed::While>(&s.node)) return visit_one(*loop->body, visit);
  const auto* decision = std::get_if<typed::If>(&s.node);
  if (decision == nullptr) return;
  visit_one(*decision->if_true, visit);
  if (decision->if_false) visit_one(*decision->if_false, visit);
}

const typed::Statement* declaration_of(const model::ProgramSource& program,
                                       std::string_view parameter) {
  for (const typed::Statement& s : program.program.parameters.statements) {
    const auto* declaration = std::get_if<typed::Declaration>(&s.node);
    if (declaration != nullptr && declaration->name == parameter) return &s;
  }
  return nullptr;
}

// A '>' inside brackets belongs to an expression.
std::size_t end_of_bounds(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[') ++depth;
    if (text[i] == ')' || text[i] == ']') --depth;
    if (text[i] == '>' && depth == 0) return i;
  }
  return std::string_view::npos;
}
}  // namespace

}  // namespace credo::verdict
