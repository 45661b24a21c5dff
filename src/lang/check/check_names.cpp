// Names that are unknown in their place: possible meanings, and the way out.
#include "lang/check/check_internal.hpp"
#include "lang/diagnostics/names.hpp"

namespace credo::lang {
namespace {
std::vector<std::string> distribution_names();  // built in
std::string without_suffix(std::string_view name);
const ast::Name* declarator_in(const ast::ProgramBlock& block, std::string_view name);
// Name of a density for outcomes of the other kind; empty for other names.
std::string with_other_suffix(std::string_view name);
}  // namespace

void Checker::report_unknown_variable(const std::string& name, SourceRange range) {
  if (is_function_name(name)) {
    report(DiagCode::function_as_value, range, {name});
    return;
  }
  const std::string elsewhere = where_declared(name);
  report(DiagCode::undeclared_variable, range, {name},
         elsewhere.empty() ? did_you_mean(name, scopes_.names()) : elsewhere);
}

// How to reach a variable that is declared, but not visible; empty if there isn't such a variable.
std::string Checker::where_declared(const std::string& name) const {
  for (std::size_t k = 0; k < ast::kNumBlocks; ++k) {
    const auto kind = static_cast<ast::BlockKind>(k);
    const ast::Name* found = declarator_in(source_[kind], name);
    if (found == nullptr) continue;
    const std::string place = std::string(spelling(kind)) + ", line " + line_of(found->range);
    if (function_ != nullptr) return "functions see their arguments only (" + place + "): add one";
    return "it is declared later (" + place + "); move that up, or to transformed " +
           (kind == ast::BlockKind::transformed_data ? "data" : "parameters");
  }
  const Symbol* gone = scopes_.find_gone(name);
  if (gone == nullptr || function_ != nullptr) return {};
  return "the one of line " + line_of(gone->declared) +
         " is gone with the braces or the loop around it; declare it before them";
}

std::string Checker::line_of(SourceRange range) const {
  return options_.source == nullptr ? "?" : std::to_string(options_.source->position(range).line);
}

std::vector<std::string> Checker::function_names() const {
  std::vector<std::string> names;
  for (const auto& entry : functions_) names.push_back(entry.first);
  for (int k = 0; k < num_builtins(); ++k) names.emplace_back(builtin_name(k));
  return names;
}

// Always false: there is no such function.
bool Checker::report_unknown_function(const ast::Name& name, std::vector<Edit> edits) {
  if (const Symbol* symbol = scopes_.find(name.text)) {
    report(DiagCode::variable_as_function, name.range, {name.text})
        .note(symbol->declared, "declared here");
    return false;
  }
  const std::string_view replacement = replacement_of_removed_function(name.text);
  if (!replacement.empty()) {
    report(DiagCode::removed_function, name.range, {name.text}, "write " + std::string(replacement))
        .edits = std::move(edits);
    return false;
  }
  if (!edits.empty()) {
    report(DiagCode::removed_function, name.range, {name.text},
           "write " + edits.front().text + "(y | ...)")
        .edits = std::move(edits);
    return false;
  }
  for (const std::string_view suffix : {"_lpdf", "_lpmf"}) {
    const std::string density = name.text + std::string(suffix);
    if (!is_function_name(density)) continue;
    report(DiagCode::undeclared_function, name.range, {name.text},
           name.text + " is a distribution: draw with " + name.text +
               "_rng(...), or take the log density " + density + "(y | ...)");
    return false;
  }
  const std::string other = with_other_suffix(name.text);
  const bool has_other = !other.empty() && is_function_name(other);
  const std::string_view foreign = function_elsewhere(name.text);
  const std::string hint =
      has_other ? "its outcome is " + std::string(other.ends_with("mf") ? "an integer" : "a real") +
                      ": write " + other
      : !foreign.empty() ? "write " + std::string(foreign)
                         : did_you_mean(name.text, function_names());
  report(DiagCode::undeclared_function, name.range, {name.text}, hint);
  return false;
}

void Checker::report_unknown_distribution(const ast::Name& name) {
  std::vector<std::string> candidates = distribution_names();
  for (const auto& entry : functions_) {
    if (entry.first.ends_with("_lpdf") || entry.first.ends_with("_lpmf"))
      candidates.push_back(without_suffix(entry.first));
  }
  const std::string plain = without_suffix(name.text);
  const std::string_view foreign = distribution_elsewhere(name.text);
  const std::string hint = plain != name.text ? "write " + plain
                           : !foreign.empty() ? "write " + std::string(foreign)
                                              : did_you_mean(name.text, candidates);
  std::vector<Edit> edits = edits_of_old_distribution(name.text);
  report(DiagCode::undeclared_distribution, name.range, {name.text},
         edits.empty() ? hint
                       : "call the function " + name.text + "_log, which is its density, " +
                             edits.front().text)
      .edits = std::move(edits);
}

std::string full_name(std::string_view name) {
  std::string full(name);
  if (name.ends_with("_lupdf") || name.ends_with("_lupmf")) full.erase(full.size() - 4, 1);
  return full;
}

namespace {
std::vector<std::string> distribution_names() {
  std::vector<std::string> names;
  for (int k = 0; k < num_builtins(); ++k) {
    const std::string_view name = builtin_name(k);
    if (name.ends_with("_lpdf") || name.ends_with("_lpmf")) names.push_back(without_suffix(name));
  }
  return names;
}

std::string without_suffix(std::string_view name) {
  for (const std::string_view suffix : {"_lpdf", "_lpmf", "_lupdf", "_lupmf", "_log"}) {
    if (name.ends_with(suffix)) return std::string(name.substr(0, name.size() - suffix.size()));
  }
  return std::string(name);
}

const ast::Name* declarator_in(const ast::ProgramBlock& block, std::string_view name) {
  for (const ast::Statement& statement : block.statements) {
    const auto* declaration = ast::as<ast::Declaration>(statement);
    if (declaration == nullptr) continue;
    for (const ast::Declarator& declarator : declaration->variables) {
      if (declarator.name.text == name) return &declarator.name;
    }
  }
  return nullptr;
}

std::string with_other_suffix(std::string_view name) {
  const std::string stem(name.substr(0, name.size() - std::min<std::size_t>(name.size(), 3)));
  const bool is_density = name.ends_with("_lpdf") || name.ends_with("_lupdf");
  const bool is_mass = name.ends_with("_lpmf") || name.ends_with("_lupmf");
  if (!is_density && !is_mass) return {};
  return stem + (is_density ? "pmf" : "pdf");
}
}  // namespace
}  // namespace credo::lang
