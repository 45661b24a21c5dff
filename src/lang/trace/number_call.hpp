// Built-in functions that read the values of their arguments (Builtin::needs_numbers), in a trace:
// a routine of the graph (graph/solve/routine.hpp) that runs the function with numbers whenever the
// program runs. For outputs: it has no derivatives.
#pragma once
#include "lang/trace/builtins.hpp"

namespace credo::lang {

// The call's value; known if all arguments are and no number is drawn. Sizes of the result are
// those at the point where decisions are taken. If the function refuses its arguments, a check
// fails.
Value call_with_numbers(const BuiltinCall& c, BuiltinFunction function);

}  // namespace credo::lang
