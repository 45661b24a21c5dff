// Known triangles applied to unknown scalars.
#pragma once
#include "graph/passes/simplify_builder.hpp"

namespace credo::graph {

// |R p + c|^2 + rho^2 for the triangle (R c; 0 rho) of k + 1 columns and k scalars p.
Expr triangle_norm(Builder& builder, std::vector<Expr> scalars, std::span<const double> triangle);

}  // namespace credo::graph
