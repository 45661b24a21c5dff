// Any bytes as a program: the parser must end, and its ranges must lie inside the text. A program
// without errors must survive printing: print, parse and print again give the same text.
#pragma once
#include "lang/syntax/parser.hpp"
#include "lang/syntax/print.hpp"
#include "support/fuzz/claims.hpp"

namespace credo::fuzz {

inline void claim_ranges(const lang::SourceMap& source, const lang::Diagnostics& diagnostics) {
  for (const lang::Diagnostic& d : diagnostics.all()) {
    claim(d.range.begin <= d.range.end && d.range.end <= source.file(d.range).text.size(),
          "a diagnostic's range lies in its file");
  }
  lang::render(source, diagnostics);
  lang::render_json(source, diagnostics);
}

inline void claim_printing(const lang::ast::Program& program) {
  const std::string printed = lang::print(program);
  lang::Diagnostics diagnostics;
  const auto source = lang::SourceMap::from_text("printed.stan", printed, diagnostics);
  const lang::ast::Program again = lang::parse(source, diagnostics);
  claim(!diagnostics.has_errors(), "what is printed parses");
  claim(lang::ast::same_tree(program, again), "what is printed is the same program");
  claim(lang::print(again) == printed, "printing it again gives the same text");
}

inline void run_parser(std::string_view bytes) {
  lang::Diagnostics diagnostics;
  const auto source = lang::SourceMap::from_text("fuzz.stan", std::string(bytes), diagnostics);
  const lang::ast::Program program = lang::parse(source, diagnostics);
  claim_ranges(source, diagnostics);
  if (!diagnostics.has_errors()) claim_printing(program);
}

}  // namespace credo::fuzz
