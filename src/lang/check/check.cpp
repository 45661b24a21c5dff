// The program's outline: functions, then the blocks in order.
#include "lang/check/check.hpp"

#include "lang/check/check_internal.hpp"
#include "lang/diagnostics/names.hpp"

namespace credo::lang {
namespace {
struct BlockFacts {
  typed::BlockKind kind;
  unsigned place;
};
constexpr std::array<BlockFacts, ast::kNumBlocks> kBlocks{{
    {typed::BlockKind::data, in_data},
    {typed::BlockKind::transformed_data, in_transformed_data},
    {typed::BlockKind::parameters, in_parameters},
    {typed::BlockKind::transformed_parameters, in_transformed_parameters},
    {typed::BlockKind::model, in_model},
    {typed::BlockKind::generated_quantities, in_generated_quantities},
}};

struct SuffixFacts {
  std::string_view spelling;
  typed::Suffix suffix;
  unsigned place;  // place of the body
};
constexpr std::array<SuffixFacts, 8> kSuffixes{{
    {"_lpdf", typed::Suffix::lpdf, in_density_function},
    {"_lpmf", typed::Suffix::lpmf, in_density_function},
    {"_lccdf", typed::Suffix::lccdf, in_plain_function},
    {"_lcdf", typed::Suffix::lcdf, in_plain_function},
    {"_cdf", typed::Suffix::cdf, in_plain_function},
    {"_lp", typed::Suffix::lp, in_lp_function},
    {"_rng", typed::Suffix::rng, in_rng_function},
    {"_jacobian", typed::Suffix::jacobian, in_jacobian_function},
}};
unsigned place_of(typed::Suffix suffix);
FunctionType function_type(const typed::Function& function);
const Signature* variadic_signature(std::string_view name);
bool breaks_out(const typed::Statement& statement);  // true if it leaves its loop
bool any_leaves(const std::vector<typed::Statement>& statements, Loops loops);
const typed::Statement* body_of_loop(const typed::Statement& statement);  // null if it isn't a loop
bool runs_forever(const typed::Statement& statement);                     // while (1)
}  // namespace

std::optional<typed::Program> check(const ast::Program& program, Diagnostics& diagnostics,
                                    const CheckOptions& options) {
  return Checker(program, diagnostics, options).run();
}

std::optional<typed::Program> Checker::run() {
  const int errors_before = diagnostics_.num_errors();
  program_.statement_ranges.resize(1);
  program_.functions.reserve(source_.functions.size());  // names are referred to
  scopes_.enter();
  check_functions();
  for (std::size_t k = 0; k < ast::kNumBlocks; ++k) check_block(static_cast<ast::BlockKind>(k));
  if (diagnostics_.num_errors() > errors_before) return std::nullopt;
  report_advice();
  return std::move(program_);
}

void Checker::check_block(ast::BlockKind kind) {
  const ast::ProgramBlock& source = source_[kind];
  const BlockFacts& facts = kBlocks[static_cast<std::size_t>(kind)];
  block_ = facts.kind;
  place_ = facts.place;
  typed::Block& block = program_.block(block_);
  block.present = source.present;
  block.range = source.range;
  locals_ = &block.locals;
  const bool is_model = kind == ast::BlockKind::model;
  top_level_ = !is_model;
  if (is_model) scopes_.enter();
  check_all(source.statements, block.statements);
  if (is_model) warn_unused(scopes_.leave());
  top_level_ = false;
}

// All names first: functions may call those that are defined behind them.
void Checker::check_functions() {
  std::vector<int> indices;
  for (const ast::FunctionDefinition& definition : source_.functions)
    indices.push_back(declare_function(definition));
  check_all_defined();
  for (std::size_t k = 0; k < indices.size(); ++k) {
    const ast::FunctionDefinition& definition = source_.functions[k];
    if (indices[k] >= 0 && definition.body) check_body(definition, indices[k]);
  }
}

// The function's index: that of its forward declaration if there was one; -1 if it can't be declared.
int Checker::declare_function(const ast::FunctionDefinition& definition) {
  typed::Function function;
  function.name = definition.name.text;
  function.declared = definition.signature;
  function.result = unsized(definition.result);
  function.suffix = suffix_of(function.name);
  for (const ast::Argument& argument : definition.arguments) {
    function.data_only.push_back(argument.is_data);
    typed::Variable variable;
    variable.name = argument.name.text;
    variable.type = unsized(argument.type);
    variable.declared = argument.name.range;
    function.variables.push_back(std::move(variable));
  }
  FunctionType type = function_type(function);
  std::vector<UserOverload>& known = functions_[function.name];
  for (const UserOverload& other : known) {
    if (other.type.parameters == type.parameters) return completed_by(definition, type, other);
  }
  check_overload(definition, type);
  check_suffix(definition, type);
  const int index = static_cast<int>(program_.functions.size());
  known.push_back({index, std::move(type)});
  program_.functions.push_back(std::move(function));
  is_defined_.push_back(definition.body.has_value());
  return index;
}

// The index of the declared function of the same arguments, which the definition completes; -1
// where it doesn't: then one message is enough.
int Checker::completed_by(const ast::FunctionDefinition& definition, const FunctionType& type,
                          const UserOverload& same) {
  const auto at = static_cast<std::size_t>(same.function);
  const bool completes = !is_defined_[at] && definition.body && same.type.result == type.result &&
                         same.type.data_only == type.data_only;
  is_defined_[at] = true;
  if (completes) return same.function;
  const std::string types = to_string(std::span<const UnsizedType>(type.parameters));
  report(DiagCode::function_redefined, definition.signature, {definition.name.text, types})
      .note(program_.functions[at].declared, "first here");
  return -1;
}

void Checker::check_overload(const ast::FunctionDefinition& definition, const FunctionType& type) {
  const std::string& name = definition.name.text;
  const int builtin = find_builtin(name);
  if (builtin < 0) return;
  const std::vector<Match> matches = match_builtin(builtin, type.parameters);
  const bool same = std::any_of(matches.begin(), matches.end(),
                                [](const Match& match) { return match.cost == 0; });
  if (!same && variadic_signature(name) == nullptr) return;
  report(DiagCode::function_is_builtin, definition.name.range,
         {name, to_string(std::span<const UnsizedType>(type.parameters))}, "choose another name");
}

void Checker::check_suffix(const ast::FunctionDefinition& definition, const FunctionType& type) {
  using enum typed::Suffix;
  const std::string& name = definition.name.text;
  const typed::Suffix suffix = suffix_of(name);
  const auto promises = [&](std::string what, std::string hint = {}) {
    report(DiagCode::suffix_signature, definition.name.range, {name, std::move(what)},
           std::move(hint));
  };
  if (name.ends_with("_lupdf") || name.ends_with("_lupmf")) {
    return promises("a density without its constants, which comes with " +
                    name.substr(0, name.size() - 5) + "lp" + name.substr(name.size() - 2) +
                    " and can't be defined");
  }
  const bool is_density = suffix == lpdf || suffix == lpmf;
  if (!is_density && suffix != cdf && suffix != lcdf && suffix != lccdf) return;
  if (!type.result.is_real())
    return promises("a function that returns real, not " + to_string(type.result));
  if (!is_density) return;
  const bool is_int = !type.parameters.empty() && is_int_based(type.parameters[0]);
  const bool fits = !type.parameters.empty() && is_int == (suffix == lpmf);
  if (!fits) {
    promises(suffix == lpmf ? "a first argument of int or an array of it"
                            : "a first argument of real or a container of it, not int",
             "name it " + name.substr(0, name.size() - 4) + (suffix == lpmf ? "lpdf" : "lpmf"));
  }
}

void Checker::check_body(const ast::FunctionDefinition& definition, int index) {
  typed::Function& function = program_.functions[static_cast<std::size_t>(index)];
  std::vector<Symbol> hidden = scopes_.hide();
  block_ = typed::BlockKind::functions;
  place_ = place_of(function.suffix);
  function_ = &function;
  locals_ = &function.variables;
  scopes_.enter();
  add_arguments(definition, function);
  typed::Statement body;
  body.range = definition.range;
  body.id = new_statement(definition.signature);
  const int errors_before = diagnostics_.num_errors();
  body.node = typed::Sequence{scoped(definition.body->statements)};
  const bool is_right = diagnostics_.num_errors() == errors_before;
  if (is_right && !function.result.is_void() && !leaves_function(body, Loops::run)) {
    report(DiagCode::missing_return, definition.name.range, {function.name});
  }
  function.body = std::make_unique<typed::Statement>(std::move(body));
  scopes_.leave();
  scopes_.reveal(std::move(hidden));
  function_ = nullptr;
}

void Checker::add_arguments(const ast::FunctionDefinition& definition, typed::Function& function) {
  for (std::size_t k = 0; k < definition.arguments.size(); ++k) {
    const ast::Argument& argument = definition.arguments[k];
    typed::Variable& variable = function.variables[k];
    variable.name = argument.name.text;
    const bool is_data = argument.is_data || is_int_based(variable.type);
    if (!is_data) variable.autodiff.arguments = typed::Autodiff::bit(k);
    if (!is_new_name(argument.name)) continue;
    Symbol symbol{
        variable.name,     SymbolKind::argument, block_, {true, static_cast<int>(k)}, variable.type,
        variable.autodiff, argument.name.range,  true};
    scopes_.add(std::move(symbol));
  }
}

void Checker::check_all_defined() {
  for (std::size_t k = 0; k < program_.functions.size(); ++k) {
    const typed::Function& function = program_.functions[k];
    if (!is_defined_[k]) report(DiagCode::function_not_defined, function.declared, {function.name});
  }
}

void Checker::warn_unused(const std::vector<Symbol>& symbols) {
  for (const Symbol& symbol : symbols) {
    if (symbol.kind != SymbolKind::variable) continue;
    if (!symbol.is_used) report(DiagCode::unused_variable, symbol.declared, {symbol.name});
  }
}

int Checker::new_statement(SourceRange range) {
  program_.statement_ranges.push_back(range);
  statement_ = static_cast<int>(program_.statement_ranges.size()) - 1;
  return statement_;
}

std::string Checker::place_name() const {
  if (function_ == nullptr)
    return "block " +
           std::string(spelling(static_cast<ast::BlockKind>(static_cast<int>(block_) - 1)));
  for (const SuffixFacts& facts : kSuffixes) {
    if (facts.suffix == function_->suffix)
      return "a function with suffix " + std::string(facts.spelling);
  }
  return "a function without suffix";
}

bool Checker::require_place(unsigned places, std::string what, SourceRange range,
                            std::string hint) {
  if (is_allowed(places)) return true;
  report(DiagCode::not_allowed_here, range, {std::move(what), place_name()}, std::move(hint));
  return false;
}

typed::Suffix suffix_of(std::string_view name) {
  for (const SuffixFacts& facts : kSuffixes) {
    if (name.ends_with(facts.spelling)) return facts.suffix;
  }
  return typed::Suffix::none;
}

bool is_conditional_name(std::string_view name) {
  using enum typed::Suffix;
  const typed::Suffix suffix = suffix_of(name);
  const bool dropping = name.ends_with("_lupdf") || name.ends_with("_lupmf");
  return dropping || suffix == lpdf || suffix == lpmf || suffix == cdf || suffix == lcdf ||
         suffix == lccdf;
}

bool leaves_function(const typed::Statement& statement, Loops loops) {
  if (std::holds_alternative<typed::Return>(statement.node)) return true;
  if (const auto* message = std::get_if<typed::Message>(&statement.node)) {
    return message->kind != typed::MessageKind::print;
  }
  if (const auto* sequence = std::get_if<typed::Sequence>(&statement.node))
    return any_leaves(sequence->statements, loops);
  if (const auto* profile = std::get_if<typed::Profile>(&statement.node))
    return any_leaves(profile->statements, loops);
  if (const auto* choice = std::get_if<typed::If>(&statement.node)) {
    return choice->if_false != nullptr && leaves_function(*choice->if_true, loops) &&
           leaves_function(*choice->if_false, loops);
  }
  const typed::Statement* repeated = body_of_loop(statement);
  if (repeated == nullptr || breaks_out(*repeated)) return false;
  return runs_forever(statement) || (loops == Loops::run && leaves_function(*repeated, loops));
}

namespace {
unsigned place_of(typed::Suffix suffix) {
  for (const SuffixFacts& facts : kSuffixes) {
    if (facts.suffix == suffix) return facts.place;
  }
  return in_plain_function;
}

FunctionType function_type(const typed::Function& function) {
  FunctionType type;
  for (std::size_t k = 0; k < function.num_parameters(); ++k)
    type.parameters.push_back(function.variables[k].type);
  type.data_only = function.data_only;
  type.result = function.result;
  return type;
}

const Signature* variadic_signature(std::string_view name) {
  for (const Signature& signature : signatures_of(find_builtin(name))) {
    if (signature.is_higher_order) return &signature;
  }
  return nullptr;
}

bool breaks_out(const typed::Statement& statement) {
  if (std::holds_alternative<typed::Break>(statement.node)) return true;
  const auto any = [](const std::vector<typed::Statement>& statements) {
    return std::any_of(statements.begin(), statements.end(), breaks_out);
  };
  if (const auto* sequence = std::get_if<typed::Sequence>(&statement.node))
    return any(sequence->statements);
  if (const auto* profile = std::get_if<typed::Profile>(&statement.node))
    return any(profile->statements);
  const auto* choice = std::get_if<typed::If>(&statement.node);
  if (choice == nullptr) return false;
  return breaks_out(*choice->if_true) ||
         (choice->if_false != nullptr && breaks_out(*choice->if_false));
}

bool any_leaves(const std::vector<typed::Statement>& statements, Loops loops) {
  return std::any_of(statements.begin(), statements.end(), [&](const typed::Statement& statement) {
    return leaves_function(statement, loops);
  });
}

const typed::Statement* body_of_loop(const typed::Statement& statement) {
  if (const auto* loop = std::get_if<typed::While>(&statement.node)) return loop->body.get();
  if (const auto* loop = std::get_if<typed::ForRange>(&statement.node)) return loop->body.get();
  const auto* loop = std::get_if<typed::ForEach>(&statement.node);
  return loop == nullptr ? nullptr : loop->body.get();
}

bool runs_forever(const typed::Statement& statement) {
  const auto* loop = std::get_if<typed::While>(&statement.node);
  const auto* literal =
      loop == nullptr ? nullptr : std::get_if<typed::IntLiteral>(&loop->condition.node);
  return literal != nullptr && literal->value != 0;
}
}  // namespace
}  // namespace credo::lang
