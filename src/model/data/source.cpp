#include "model/data/source.hpp"

#include "lang/check/check.hpp"
#include "lang/syntax/parser.hpp"
#include "lang/trace/builtins.hpp"
#include "model/statements/unread_data.hpp"

namespace credo::model {
namespace {

std::string stem(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  if (name.ends_with(".stan")) name.resize(name.size() - 5);
  return name;
}

void report_unread_data(const lang::typed::Program& program, lang::Diagnostics& diagnostics) {
  const UnreadData unread = unread_data(program);
  if (unread.slots.empty()) return;
  std::string names;
  for (const int slot : unread.slots)
    names += (names.empty() ? "" : ", ") + program.globals[static_cast<std::size_t>(slot)].name;
  const auto& first = program.globals[static_cast<std::size_t>(unread.slots.front())];
  diagnostics.report(
      lang::DiagCode::unread_outcome, first.declared,
      {names,
       unread.has_likelihood
           ? ""
           : ", and the model has no likelihood: its density is the prior of the parameters"},
      "state how " + first.name + " is distributed, as in " + first.name +
          " ~ normal(mu, sigma), or take it out of the data");
}

// The phases of the front end: source -> syntax tree -> typed tree.
std::shared_ptr<const ProgramSource> compile(std::string name, lang::Diagnostics& diagnostics,
                                             const lang::SourceMap& source, bool strict) {
  if (diagnostics.has_errors()) return nullptr;
  const lang::ast::Program tree = lang::parse(source, diagnostics);
  if (diagnostics.has_errors()) return nullptr;
  auto program = lang::check(
      tree, diagnostics,
      {.is_implemented = lang::is_implemented, .discrete_parameters = !strict, .source = &source});
  if (!program || diagnostics.has_errors()) return nullptr;
  auto result = std::make_shared<ProgramSource>();
  result->source = source;
  result->program = std::move(*program);
  result->name = std::move(name);
  report_unread_data(result->program, diagnostics);
  return result;
}
}  // namespace

std::string ProgramSource::where(std::int32_t statement) const {
  if (statement <= 0 || statement >= ssize(program.statement_ranges)) return name;
  return source.where(program.statement_ranges[static_cast<std::size_t>(statement)]);
}

std::shared_ptr<const ProgramSource> compile_file(const std::string& path,
                                                  lang::Diagnostics& diagnostics,
                                                  lang::SourceMap& source,
                                                  std::span<const std::string> include_dirs,
                                                  bool strict, const lang::FileReader& read) {
  source = lang::SourceMap::from_file(path, diagnostics, include_dirs, read);
  return compile(stem(path), diagnostics, source, strict);
}

std::shared_ptr<const ProgramSource> compile_text(const std::string& name, std::string text,
                                                  lang::Diagnostics& diagnostics,
                                                  lang::SourceMap& source) {
  source = lang::SourceMap::from_text(name, std::move(text), diagnostics);
  return compile(stem(name), diagnostics, source, false);
}

}  // namespace credo::model
