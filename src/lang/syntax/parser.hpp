// Text to syntax tree. One function per production, recovery at statements, so that one run reports
// all errors.
#pragma once
#include "lang/diagnostics/diagnostics.hpp"
#include "lang/syntax/ast.hpp"

namespace credo::lang {

// Limit for statements, expressions and types together; deeper nesting is a diagnostic and ends the parse.
inline constexpr int kMaxNesting = 256;

// The program's tree. After errors it holds what could be understood; check
// diagnostics.has_errors() before use.
ast::Program parse(const SourceMap& source, Diagnostics& diagnostics);

}  // namespace credo::lang
