// Any program that parses: the checker must end, and give a typed program or errors with a place.
// What is right must be right, and the same, when it is printed and read again.
#pragma once
#include "lang/check/check.hpp"
#include "lang/trace/builtins.hpp"
#include "support/fuzz/parser.hpp"

namespace credo::fuzz {

struct CheckedText {
  lang::Diagnostics diagnostics;
  lang::SourceMap source;
  std::optional<lang::ast::Program> tree;
  std::optional<lang::typed::Program> program;
};

inline CheckedText checked(std::string text, const lang::CheckOptions& options) {
  CheckedText result;
  result.source = lang::SourceMap::from_text("fuzz.stan", std::move(text), result.diagnostics);
  lang::ast::Program tree = lang::parse(result.source, result.diagnostics);
  if (result.diagnostics.has_errors()) return result;
  result.program = lang::check(tree, result.diagnostics, options);
  result.tree = std::move(tree);
  return result;
}

inline void claim_same_program(const lang::typed::Program& a, const lang::typed::Program& b) {
  claim(a.globals.size() == b.globals.size() && a.functions.size() == b.functions.size(),
        "the printed program has the same variables and functions");
  for (std::size_t k = 0; k < a.globals.size(); ++k)
    claim(a.globals[k].name == b.globals[k].name && a.globals[k].type == b.globals[k].type,
          "a variable of the printed program has its type");
  claim(a.statement_ranges.size() == b.statement_ranges.size(),
        "the printed program has the same statements");
}

inline void run_checker(std::string_view bytes) {
  for (const bool open : {true, false}) {
    const lang::CheckOptions options{.is_implemented = open ? nullptr : lang::is_implemented,
                                     .discrete_parameters = open};
    const CheckedText first = checked(std::string(bytes), options);
    if (!first.tree) return;
    claim_ranges(first.source, first.diagnostics);
    claim(first.program.has_value() != first.diagnostics.has_errors(),
          "there is a typed program or there are errors");
    if (!first.program) continue;
    const CheckedText again = checked(lang::print(*first.tree), options);
    claim(again.program.has_value(), "a right program is right when it is printed");
    claim_same_program(*first.program, *again.program);
  }
}

}  // namespace credo::fuzz
