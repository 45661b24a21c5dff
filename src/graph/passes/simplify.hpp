// Simplify: algebra on the graph. Eight passes, so that each can be switched off:
//
//   balance     sums of scalars that a recurrence waits for are added last
//   simplify    the table of local rules (graph/passes/simplify_rules.hpp)
//   split       vectors that are used in parts are computed in parts
//   grouped     squared residuals with unknowns of groups become a small triangle for each group
//   statistics  squared residuals of known columns become a small triangular system
//   distinct    functions of data and scalars only are computed once for equal data
//   designs     sums of known columns times scalars become products of a matrix
//   logarithms  the sum of logarithms of many factors is that of their product, in values
//
// Their assumptions and how to add a rule: docs/design/simplify.md.
#pragma once
#include "graph/passes/passes.hpp"

namespace credo::graph {

// One sum of squared residuals, or one function of data, and the path that it takes.
struct PathNote {
  std::string_view path = {};  // name of the pass; empty if none applies
  std::int32_t statement = 0;  // the statement that adds it
  std::int32_t because = 0;    // the statement in the way of a path
  std::string_view reason = {};
  Index rows = 0, groups = 0;  // rows, and the groups or distinct rows that take their place
  Index own = 0, shared = 0;   // unknowns of a group, and of all rows
  Index pairs = 0;             // of levels of two indices that meet: `own` are then the unknowns of all levels
};

Traced balance_sums(const Traced& traced);
Traced simplify(const Traced& traced);
Traced split_parts(const Traced& traced);
Traced reduce_to_groups(const Traced& traced, std::vector<PathNote>* notes = nullptr);
Traced reduce_to_statistics(const Traced& traced, std::vector<PathNote>* notes = nullptr);
Traced reduce_to_distinct(const Traced& traced, std::vector<PathNote>* notes = nullptr);
Traced join_columns(const Traced& traced);
Traced join_logarithms(const Traced& traced);

}  // namespace credo::graph
