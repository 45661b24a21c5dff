// The value of the unknowns of a product, as expressions.
#pragma once
#include "graph/passes/simplify_products.hpp"

namespace credo::graph {

// Numbers of all rows and containers are multiplied apart; elements_of(factor) are the elements of a container.
template <class ElementsOf>
Expr unknown_value(Builder& builder, const Graph& graph, const Product& product, double scale,
                   ElementsOf elements_of) {
  Expr numbers = scale, containers;
  for (const UnknownFactor& factor : product.unknown) {
    const bool scalar = graph.shape_of(factor.ref).is_scalar();
    Expr& into = scalar ? numbers : containers;
    const Expr x = scalar ? builder.operand(factor.ref) : elements_of(factor);
    if (into.empty()) into = 1.0;
    into = factor.inverse ? builder.div(into, x) : builder.mul(into, x);
  }
  return containers.empty() ? numbers : builder.mul(numbers, containers);
}

// The elements of a container that some rows read.
inline ClassesPtr elements_in_rows(const ElementsPtr& elements,
                                   std::span<const std::int32_t> rows) {
  auto made = std::make_shared<Classes>();
  for (const std::int32_t row : rows)
    made->representative.push_back(static_cast<std::int32_t>(element_in_row(elements, row)));
  return made;
}

}  // namespace credo::graph
