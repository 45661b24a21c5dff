// Any bytes as a program: the parser must end, without a fault, and its ranges must lie inside the
// text. A program without errors must survive printing: print, parse and print again give the same
// text.
#include <cstdlib>

#include "lang/parser.hpp"
#include "lang/print.hpp"

using namespace credo::lang;

namespace {
void require(bool holds) {
  if (!holds) std::abort();
}

void check_ranges(const SourceMap& source, const Diagnostics& diagnostics) {
  for (const Diagnostic& d : diagnostics.all()) {
    require(d.range.begin <= d.range.end && d.range.end <= source.file(d.range).text.size());
  }
  render(source, diagnostics);
  render_json(source, diagnostics);
}

void check_printing(const ast::Program& program) {
  const std::string printed = print(program);
  Diagnostics diagnostics;
  const SourceMap source = SourceMap::from_text("printed.stan", printed, diagnostics);
  const ast::Program again = parse(source, diagnostics);
  require(!diagnostics.has_errors());
  require(ast::same_tree(program, again));
  require(print(again) == printed);
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(bytes), size);
  Diagnostics diagnostics;
  const SourceMap source = SourceMap::from_text("fuzz.stan", std::move(text), diagnostics);
  const ast::Program program = parse(source, diagnostics);
  check_ranges(source, diagnostics);
  if (!diagnostics.has_errors()) check_printing(program);
  return 0;
}
