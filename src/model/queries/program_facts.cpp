#include "model/queries/program_facts.hpp"

#include "lang/typed/loop_facts.hpp"
#include "model/statements/statements.hpp"
#include "model/statements/unread_data.hpp"

namespace credo::model {
namespace {
namespace typed = lang::typed;
using density::ConstraintKind;
using density::RangeEnd;
using density::StatedArgument;

density::Place place_in(const lang::SourceMap& source, lang::SourceRange range) {
  const lang::Position at = source.position(range);
  return {.file = source.file(range).name,
          .line = at.line,
          .column = at.column,
          .where = source.where(range),
          .shown = lang::render_place(source, range)};
}

// The number that an expression is written as; NaN: it isn't one.
double literal(const typed::Expression& e) {
  if (const auto* promotion = std::get_if<typed::Promotion>(&e.node))
    return literal(*promotion->operand);
  if (const auto* whole = std::get_if<typed::IntLiteral>(&e.node)) return whole->value;
  if (const auto* real = std::get_if<typed::RealLiteral>(&e.node)) return real->value;
  const auto* call = std::get_if<typed::Call>(&e.node);
  const bool negated = call != nullptr && call->is_operator && call->arguments.size() == 1 &&
                       call->function.name == "minus";
  return negated ? -literal(call->arguments.front()) : kNaN;
}

// ---- variables

ConstraintKind kind_of(typed::Constraint constraint) {
  switch (constraint) {
    case typed::Constraint::none:
      return ConstraintKind::none;
    case typed::Constraint::bounds:
      return ConstraintKind::bounds;
    case typed::Constraint::affine:
      return ConstraintKind::affine;
    case typed::Constraint::simplex:
      return ConstraintKind::simplex;
    case typed::Constraint::unit_vector:
      return ConstraintKind::unit_vector;
    case typed::Constraint::cholesky_factor_corr:
      return ConstraintKind::cholesky_factor_corr;
    case typed::Constraint::cov_matrix:
      return ConstraintKind::cov_matrix;
    default:
      return ConstraintKind::other;
  }
}

RangeEnd end_of(const typed::Box& bound) {
  if (bound == nullptr) return {};
  return {.is_stated = true, .at = literal(*bound), .is_of_data = bound->autodiff.is_data()};
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

// The declaration is one name in the program's own file, its bounds the first <...> behind its
// beginning.
void find_bounds(const ProgramSource& program, std::string_view text,
                 density::StatedVariable& variable, lang::SourceRange name) {
  if (program.source.files().size() != 1) return;
  for (const typed::Statement& s : program.program.parameters.statements) {
    const auto* declaration = std::get_if<typed::Declaration>(&s.node);
    if (declaration == nullptr || declaration->name != variable.name) continue;
    const std::size_t open = text.find('<', s.range.begin);
    if (open == std::string::npos || open > name.begin) return;
    const std::size_t close = end_of_bounds(text, open);
    if (close == std::string::npos) return;
    variable.bounds_begin = open, variable.bounds_size = close - open + 1;
    return;
  }
}

density::StatedVariable stated(const ProgramSource& program, std::string_view text,
                               const typed::GlobalVariable& global) {
  density::StatedVariable variable{.name = std::string(global.name),
                                   .block = block_of(global.block),
                                   .declared = place_in(program.source, global.declared)};
  if (global.sized_type == nullptr) return variable;
  variable.constraint = kind_of(global.sized_type->constraint);
  if (!variable.has_bounds()) return variable;
  variable.lower = end_of(global.sized_type->lower);
  variable.upper = end_of(global.sized_type->upper);
  if (variable.block == density::Block::parameters)
    find_bounds(program, text, variable, global.declared);
  return variable;
}

// ---- expressions

// The variable that an expression is, or is an element of; -1: something else.
int variable_in(const typed::Expression& e) {
  if (const auto* promotion = std::get_if<typed::Promotion>(&e.node))
    return variable_in(*promotion->operand);
  if (const auto* indexed = std::get_if<typed::Indexed>(&e.node))
    return variable_in(*indexed->base);
  const auto* use = std::get_if<typed::VariableUse>(&e.node);
  return use != nullptr && !use->slot.local ? use->slot.index : -1;
}

// Variables with repetitions: x * x has no sign of x's.
void collect_factors(const typed::Expression& e, std::vector<Index>& slots) {
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

std::vector<Index> factors_in(const typed::Expression& e) {
  std::vector<Index> all, once;
  collect_factors(e, all);
  std::copy_if(all.begin(), all.end(), std::back_inserter(once),
               [&](Index slot) { return std::count(all.begin(), all.end(), slot) == 1; });
  return once;
}

StatedArgument stated(const typed::Expression& e) {
  StatedArgument argument{.variable = variable_in(e), .factors = factors_in(e)};
  for (const lang::SlotUse& use : lang::facts_of(e).slots)
    if (!use.slot.local) argument.mentions.push_back(use.slot.index);
  return argument;
}

// ---- what a density asks of its arguments

void ask(StatedArgument& argument, dist::Domain domain) {
  using dist::Domain;
  const bool is_positive = domain == Domain::positive_finite || domain == Domain::positive ||
                           domain == Domain::nonnegative_finite;
  if (is_positive || domain == Domain::probability) argument.lower = {true, 0.0};
  if (domain == Domain::probability) argument.upper = {true, 1.0};
}

// Bounds of a density whose support depends on its arguments: those that aren't numbers are NaN, and so
// are the bounds that come of them.
void ask_support(StatedArgument& outcome, const dist::Distribution& d, const typed::Call& call) {
  std::vector<graph::Expr> arguments;
  for (std::size_t k = 1; k < call.arguments.size(); ++k)
    arguments.emplace_back(literal(call.arguments[k]));
  if (arguments.size() != d.args.size()) return;
  const dist::Support support = d.support(arguments);
  const double lower = support.lower.value(), upper = support.upper.value();
  outcome.lower = {!std::isinf(lower), lower};
  outcome.upper = {!std::isinf(upper), upper};
}

void ask_outcome(StatedArgument& outcome, const dist::Distribution& d, const typed::Call& call) {
  outcome.role = "outcome";
  if (d.discrete || d.kind != dist::Kind::univariate) return;
  if (d.support != nullptr) return ask_support(outcome, d, call);
  ask(outcome, d.outcome.domain);
  if (d.lower > -kInfinity) outcome.lower = {true, d.lower};
  if (d.upper < kInfinity) outcome.upper = {true, d.upper};
}

// ---- densities

void ask_all(std::vector<StatedArgument>& arguments, const dist::Distribution& d,
             const typed::Call& call) {
  ask_outcome(arguments.front(), d, call);
  for (std::size_t k = 0; k < d.args.size() && k + 1 < arguments.size(); ++k) {
    StatedArgument& argument = arguments[k + 1];
    argument.role = d.args[k].name;
    argument.is_ordered = argument.role == "cut-points";
    ask(argument, d.args[k].domain);
  }
}

// Statements that are one density of the language, or `~`.
std::vector<density::StatedDensity> densities_of(const ProgramSource& program) {
  std::vector<density::StatedDensity> all;
  for (const ModelStatement& entry : model_statements(program.program)) {
    const bool is_own_increment = entry.adds_increment && entry.distribution == nullptr;
    if (!entry.is_whole || !entry.calls.empty() || entry.density == nullptr || is_own_increment)
      continue;
    const auto k = static_cast<std::size_t>(entry.statement);
    density::StatedDensity use{
        .statement = entry.statement,
        .place = place_in(program.source, program.program.statement_ranges[k]),
        .function = std::string(entry.density->function.name),
        .arguments = {},
        .is_of_effects = entry.is_of_effects};
    for (const typed::Expression& argument : entry.density->arguments)
      use.arguments.push_back(stated(argument));
    if (entry.distribution != nullptr) ask_all(use.arguments, *entry.distribution, *entry.density);
    all.push_back(std::move(use));
  }
  return all;
}
}  // namespace

density::Block block_of(typed::BlockKind block) {
  switch (block) {
    case typed::BlockKind::parameters:
      return density::Block::parameters;
    case typed::BlockKind::transformed_parameters:
      return density::Block::transformed_parameters;
    case typed::BlockKind::generated_quantities:
      return density::Block::generated_quantities;
    default:
      return density::Block::unknown;
  }
}

density::ProgramFacts facts_of(const ProgramSource& program) {
  density::ProgramFacts facts;
  facts.text = program.source.files().front().text;
  for (const typed::GlobalVariable& global : program.program.globals)
    facts.variables.push_back(stated(program, facts.text, global));
  facts.densities = densities_of(program);
  for (const lang::SourceRange range : program.program.statement_ranges)
    facts.statements.push_back(place_in(program.source, range));
  const UnreadData unread = unread_data(program.program);
  facts.unread_outcomes.assign(unread.slots.begin(), unread.slots.end());
  facts.has_likelihood = may_have_likelihood(program.program);
  return facts;
}

}  // namespace credo::model
