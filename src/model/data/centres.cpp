// Finds centres and scales that a program computes from its data.
#include "lang/typed/each_statement.hpp"
#include "model/data/program_data.hpp"

namespace credo::model {
namespace {
namespace typed = lang::typed;

bool is_part_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// True if the name occurs in the text as a whole word.
bool mentions(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool begins = at == 0 || !is_part_of_name(text[at - 1]);
    if (begins && (end == text.size() || !is_part_of_name(text[end]))) return true;
  }
  return false;
}

bool takes_moments(std::string_view text) {
  return std::ranges::any_of(std::array{"mean", "sd", "variance", "quantile", "min", "max"},
                             [&](const char* function) { return mentions(text, function); });
}

// The global variable that a statement assigns, and the assigned expression.
std::pair<int, const typed::Expression*> assigned_by(const typed::Statement& s) {
  if (const auto* node = std::get_if<typed::Declaration>(&s.node); node && node->value)
    if (!node->slot.local) return {node->slot.index, &*node->value};
  if (const auto* node = std::get_if<typed::Assignment>(&s.node))
    if (!node->target.slot.local) return {node->target.slot.index, &node->value};
  return {-1, nullptr};
}

std::set<int> slots_of_moments(const ProgramSource& source) {
  std::set<int> slots;
  lang::for_each_statement(
      source.program.transformed_data.statements, [&](const typed::Statement& s) {
        const auto [slot, value] = assigned_by(s);
        if (value != nullptr && takes_moments(source.source.text(value->range))) slots.insert(slot);
      });
  return slots;
}

// True if a statement outside the model block that assigns another variable reads this one.
bool is_used(const ProgramSource& source, int slot) {
  const typed::Program& program = source.program;
  const std::string& name = program.globals[static_cast<std::size_t>(slot)].name;
  bool used = false;
  for (const typed::Block* block :
       {&program.transformed_data, &program.transformed_parameters, &program.generated_quantities})
    lang::for_each_statement(block->statements, [&](const typed::Statement& s) {
      const auto [other, value] = assigned_by(s);
      if (value != nullptr && other != slot)
        used = used || mentions(source.source.text(s.range), name);
    });
  return used;
}
}  // namespace

std::vector<density::ObservedVariable> ProgramData::centres() const {
  std::vector<density::ObservedVariable> all;
  for (const int slot : slots_of_moments(*source_)) {
    const typed::GlobalVariable& g = source_->program.globals[static_cast<std::size_t>(slot)];
    const lang::Value& value = globals_[static_cast<std::size_t>(slot)];
    const bool is_number = value.is_reals() || value.is_real();
    if (g.block != typed::BlockKind::transformed_data || lang::is_int_based(g.type) || !is_number ||
        !is_used(*source_, slot))
      continue;
    density::ObservedVariable& one = all.emplace_back();
    one.variable = {.name = g.name, .dims = {lang::size_of(value)}};
    for (Index i = 0; i < lang::size_of(value); ++i)
      one.values.push_back(lang::scalar_of(value, i).known);
  }
  return all;
}

}  // namespace credo::model
