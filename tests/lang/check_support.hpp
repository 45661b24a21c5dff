// Helpers for tests of the checker: text in, diagnostics and typed tree out.
#pragma once
#include "lang/check/check.hpp"
#include "lang/syntax/parser.hpp"

namespace credo::lang {

struct Checked {
  SourceMap source;
  Diagnostics diagnostics;
  std::optional<typed::Program> program;

  bool has(std::string_view code) const {
    for (const Diagnostic& d : diagnostics.all()) {
      if (row(d.code).name == code) return true;
    }
    return false;
  }
  std::string text() const { return render(source, diagnostics); }
};

inline Checked check_text(std::string text, const CheckOptions& options = {}) {
  Checked result;
  result.source = SourceMap::from_text("test.stan", std::move(text), result.diagnostics);
  const ast::Program tree = parse(result.source, result.diagnostics);
  if (!result.diagnostics.has_errors()) result.program = check(tree, result.diagnostics, options);
  return result;
}

}  // namespace credo::lang
