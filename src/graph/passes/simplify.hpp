// Simplify: algebra on the graph. Six passes, so that each can be switched off:
//
//   balance     sums of scalars that a recurrence waits for are added last
//   simplify    the table of local rules (graph/passes/simplify_rules.hpp)
//   split       vectors that are used in parts are computed in parts
//   statistics  squared residuals of known columns become a small triangular system
//   distinct    functions of data and scalars only are computed once for equal data
//   logarithms  the sum of logarithms of many factors is that of their product, in values
//
// Their assumptions and how to add a rule: docs/design/simplify.md.
#pragma once
#include "graph/passes/passes.hpp"

namespace credo::graph {

Traced balance_sums(const Traced& traced);
Traced simplify(const Traced& traced);
Traced split_parts(const Traced& traced);
Traced reduce_to_statistics(const Traced& traced);
Traced reduce_to_distinct(const Traced& traced);
Traced join_logarithms(const Traced& traced);

}  // namespace credo::graph
