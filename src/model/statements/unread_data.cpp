#include "model/statements/unread_data.hpp"

#include "lang/trace/density_call.hpp"
#include "lang/trace/increment_parts.hpp"
#include "lang/typed/each_statement.hpp"
#include "model/statements/statements.hpp"

namespace credo::model {
namespace {
using typed::BlockKind;
using Marks = std::vector<char>;  // a mark for each global variable

// ---- terms

// True if an argument may be something else than parameters and numbers.
bool may_read_data(const typed::Program& program, const typed::Call& call) {
  return std::ranges::any_of(call.arguments, [&](const typed::Expression& argument) {
    return std::ranges::any_of(lang::facts_of(argument).slots, [&](const lang::SlotUse& use) {
      if (use.slot.local) return true;
      const auto& variable = program.globals[static_cast<std::size_t>(use.slot.index)];
      return variable.block != BlockKind::parameters;
    });
  });
}

bool may_be_likelihood(const typed::Program& program, const StatementReads& reads,
                       const typed::Statement& s) {
  if (std::holds_alternative<typed::Distribution>(s.node)) return reads.outcome;
  if (const auto* call = std::get_if<typed::CallStatement>(&s.node))
    return may_read_data(program, call->call);
  const auto* increment = std::get_if<typed::TargetIncrement>(&s.node);
  if (increment == nullptr) return false;
  const bool is_density = lang::sole_density(program, increment->value) != nullptr;
  return reads.outcome || (!is_density && reads.value);
}

// ---- outcomes in generated quantities

// Marks the globals that the outcomes of densities in an expression read.
class OutcomeMarks {
 public:
  explicit OutcomeMarks(const typed::Program& program) : marks_(program.globals.size(), 0) {
    lang::for_each_statement(program.generated_quantities.statements,
                             [&](const typed::Statement& s) {
                               const auto* declaration = std::get_if<typed::Declaration>(&s.node);
                               if (declaration != nullptr && declaration->value != nullptr)
                                 look(*declaration->value);
                               if (const auto* assignment = std::get_if<typed::Assignment>(&s.node))
                                 look(assignment->value);
                             });
  }
  bool contains(std::size_t slot) const { return marks_[slot] != 0; }

 private:
  void look(const typed::Expression& e) {
    if (const auto* promotion = std::get_if<typed::Promotion>(&e.node))
      return look(*promotion->operand);
    if (const auto* indexed = std::get_if<typed::Indexed>(&e.node)) return look(*indexed->base);
    if (const auto* choice = std::get_if<typed::Conditional>(&e.node))
      return look(*choice->if_true), look(*choice->if_false);
    if (const auto* array = std::get_if<typed::ArrayLiteral>(&e.node)) return all(array->elements);
    if (const auto* row = std::get_if<typed::RowVectorLiteral>(&e.node)) return all(row->elements);
    const auto* call = std::get_if<typed::Call>(&e.node);
    if (call == nullptr) return;
    if (!lang::is_any_density(*call)) return all(call->arguments);
    for (const lang::SlotUse& use : lang::facts_of(call->arguments[0]).slots)
      if (!use.slot.local) marks_[static_cast<std::size_t>(use.slot.index)] = 1;
  }
  void all(std::span<const typed::Expression> expressions) {
    for (const typed::Expression& e : expressions) look(e);
  }

  Marks marks_;
};

// ---- data that are read

class ReadVariables {
 public:
  explicit ReadVariables(const typed::Program& program)
      : program_(program), read_(program.globals.size(), 0) {
    for (const typed::GlobalVariable& variable : program.globals)
      if (variable.sized_type != nullptr) add_type(*variable.sized_type);
    for (const typed::Block* block : {&program.transformed_parameters, &program.model})
      for (const typed::Statement& s : block->statements) add(lang::facts_of(s));
    follow_back();
  }
  void add_quantities() {
    for (const typed::Statement& s : program_.generated_quantities.statements)
      add(lang::facts_of(s));
    follow_back();
  }
  bool contains(std::size_t slot) const { return read_[slot] != 0; }

 private:
  void add(const lang::Facts& facts) {
    for (const lang::SlotUse& use : facts.slots)
      if (!use.slot.local) read_[static_cast<std::size_t>(use.slot.index)] = 1;
  }
  void add_type(const typed::SizedType& type) {
    for (const auto* sizes : {&type.array_sizes, &type.sizes})
      for (const typed::Expression& size : *sizes) add(lang::facts_of(size));
    for (const typed::Box* bound : {&type.lower, &type.upper, &type.offset, &type.multiplier})
      if (*bound != nullptr) add(lang::facts_of(**bound));
    for (const typed::SizedType& element : type.elements) add_type(element);
  }
  // If a variable of transformed data is read, the variables it is computed from are read, too.
  void follow_back() {
    for (bool goes_on = true; goes_on;) {
      const Marks before = read_;
      for (const typed::Statement& s : program_.transformed_data.statements) {
        const lang::Facts facts = lang::facts_of(s);
        const bool makes_any = std::ranges::any_of(facts.slots, [&](const lang::SlotUse& use) {
          return !use.slot.local && use.is_assigned() &&
                 contains(static_cast<std::size_t>(use.slot.index));
        });
        if (makes_any) add(facts);
      }
      goes_on = read_ != before;
    }
  }

  const typed::Program& program_;
  Marks read_;
};

std::string lower_case(std::string name) {
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

// True for y, y1, y_obs, outcome and response, in any case.
bool is_named_as_outcome(const std::string& name) {
  const std::string lower = lower_case(name);
  if (lower == "outcome" || lower == "response") return true;
  return lower[0] == 'y' &&
         (lower.size() == 1 || std::isdigit(static_cast<unsigned char>(lower[1])) != 0 ||
          lower == "y_obs");
}

bool simulates(const typed::Program& program) {
  return std::ranges::any_of(program.globals, [](const typed::GlobalVariable& variable) {
    if (variable.block != BlockKind::generated_quantities) return false;
    const std::string name = lower_case(variable.name);
    return name == "distance" || name.find("sim") != std::string::npos;
  });
}

// True if the program assigns to several variables at once, which this analysis doesn't follow.
bool unpacks_any(const typed::Program& program) {
  const auto any = [](const typed::Block& block) {
    bool found = false;
    lang::for_each_statement(block.statements, [&](const typed::Statement& s) {
      found = found || std::holds_alternative<typed::Unpacking>(s.node);
    });
    return found;
  };
  return any(program.transformed_data) || any(program.transformed_parameters) ||
         any(program.model) || any(program.generated_quantities);
}
}  // namespace

bool may_have_likelihood(const typed::Program& program) {
  const std::vector<StatementReads> reads = statement_reads(program);
  bool found = false;
  for (const typed::Block* block : {&program.transformed_parameters, &program.model})
    lang::for_each_statement(block->statements, [&](const typed::Statement& s) {
      found = found || may_be_likelihood(program, reads[static_cast<std::size_t>(s.id)], s);
    });
  return found;
}

bool has_state_functions(const typed::Program& program) {
  return std::ranges::any_of(program.functions, [](const typed::Function& f) {
    return f.body != nullptr && (f.name == "observation_lpdf" || f.name == "observation_lpmf");
  });
}

UnreadData unread_data(const typed::Program& program) {
  UnreadData found;
  const bool is_model = !program.parameters.statements.empty();
  if (!is_model || has_state_functions(program) || simulates(program) || unpacks_any(program))
    return found;
  found.has_likelihood = may_have_likelihood(program);
  const ReadVariables in_model(program);
  ReadVariables anywhere(program);
  anywhere.add_quantities();
  const OutcomeMarks outcomes(program);
  for (std::size_t k = 0; k < program.globals.size(); ++k) {
    const typed::GlobalVariable& variable = program.globals[k];
    if (variable.block != BlockKind::data || in_model.contains(k)) continue;
    const bool is_named = is_named_as_outcome(variable.name);
    const bool is_forgotten = !anywhere.contains(k) && (is_named || !variable.type.is_int());
    const bool is_outcome = outcomes.contains(k);
    if (found.has_likelihood ? is_named && is_forgotten : is_forgotten || is_outcome)
      found.slots.push_back(static_cast<int>(k));
  }
  std::ranges::stable_partition(found.slots, [&](int slot) {
    return is_named_as_outcome(program.globals[static_cast<std::size_t>(slot)].name);
  });
  return found;
}

}  // namespace credo::model
