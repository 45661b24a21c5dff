// Text to syntax tree. One function per production, recovery at statements, so that one run reports all errors.
#pragma once
#include "lang/ast.hpp"
#include "lang/diagnostics.hpp"

namespace credo::lang {

// Limits for hostile input; each is a diagnostic.
inline constexpr int kMaxNesting = 256;               // of statements and expressions together
inline constexpr int kMaxIncludes = 256;
inline constexpr std::size_t kMaxIdentifier = 1024;   // bytes
inline constexpr std::size_t kMaxFileBytes = 16u << 20;

// The program's tree. After errors it holds what could be understood; check diagnostics.has_errors() before use.
ast::Program parse(const SourceMap& source, Diagnostics& diagnostics);

// A file of bare function definitions (.stanfunctions): only the functions of the program are set.
ast::Program parse_functions(const SourceMap& source, Diagnostics& diagnostics);

}  // namespace credo::lang
