// Syntax tree to typed tree: names, types, promotions, overloads, and rules on the places of calls
// (language facts 2-4, 6-11, 13, 14, 16). All errors of a program are found in one run: a wrong
// expression gets the poison type, which fits everywhere.
#pragma once
#include "lang/diagnostics/diagnostics.hpp"
#include "lang/syntax/ast.hpp"
#include "lang/typed/typed.hpp"

namespace credo::lang {

struct CheckOptions {
  // True if a built-in function (by its full name: "normal_lpdf", "add") can be run. A call of one
  // that can't is an error. Null: all can.
  bool (*is_implemented)(std::string_view name) = nullptr;
  // Parameters of whole numbers, an extension of the language: docs/design/discrete.md.
  bool discrete_parameters = false;
  const SourceMap* source = nullptr;  // with it hints name lines
};

// Nothing when the program has errors; they are in the sink, warnings too.
std::optional<typed::Program> check(const ast::Program& program, Diagnostics& diagnostics,
                                    const CheckOptions& options = {});

}  // namespace credo::lang
