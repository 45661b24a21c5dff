// Reverse differentiation, graph to graph: appends the nodes of the gradient to the graph it
// differentiates, from the rows' rules alone. The result is a graph like any other and can be
// differentiated again.
#pragma once
#include "graph/core/expr.hpp"

namespace credo::graph {

// Thrown (as Error{program}) where a row on the way cannot be differentiated that often: names the
// row; `statement` gives the place.
struct NotDifferentiable {
  std::string_view op;
  std::int32_t statement = 0;
};

// The gradient of the scalar `output` with respect to each node of `inputs`: expressions of the
// inputs' shapes, zeros where `output` doesn't depend on the input. Throws NotDifferentiable.
std::vector<Expr> gradient(Graph& graph, const Expr& output, std::span<const NodeId> inputs);

// d/dt gradient(x + t direction) at t = 0, as the gradient of the inner product with the constant
// direction.
Expr hessian_vector(Graph& graph, const Expr& output, NodeId input, const Expr& direction);

}  // namespace credo::graph
