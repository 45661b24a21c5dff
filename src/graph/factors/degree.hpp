// The degree of a scalar as a polynomial of some elements of the input, whose coefficients are functions of the others.
#pragma once
#include "graph/core/expr.hpp"

namespace credo::graph {

inline constexpr int kAboveTwo = 3;

// 0, 1, 2, or kAboveTwo, which also stands for functions that aren't polynomials: never less than the degree. `is_of_block`: by element
// of the input. A log density of degree 2 has second derivatives in these elements that don't depend on them: they are normal given the others.
int degree_in_block(const Graph& graph, NodeId input, const Expr& target,
                    std::span<const char> is_of_block);

}  // namespace credo::graph
