#include "graph/execute/plan_products.hpp"

#include "graph/core/ops.hpp"
#include "numerics/linear_algebra/dense.hpp"

namespace credo::graph {
namespace {

// A smaller matrix stays in the first-level cache from one product to the next.
constexpr Index kLargeMatrix = 4096;
// A block of more columns wouldn't stay in the second-level cache, nor its sums in the first.
constexpr Index kMaxColumns = 64;
constexpr Index kMinRows = 64;
// A matrix that doesn't stay in the second-level cache from one gradient to the next is worth a
// copy in the order of its reads.
constexpr Index kPanels = Index{1} << 17;
}  // namespace

TallProduct tall_product(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (node.op != &ops::matmul) return {};
  const auto& ints = graph.attributes(node).ints;
  const Index left = ints[0], inner = ints[1], right = ints[2];
  if (left != 1 && right != 1) return {};
  const std::size_t k = right == 1 ? 0 : 1;  // the matrix; B' as seen from a row vector on its left
  TallProduct product;
  product.matrix = graph.operands(node)[k];
  product.vector = graph.operands(node)[1 - k];
  product.transposed = k == 0 ? ints[3] != 0 : ints[4] == 0;
  const Index results = right == 1 ? left : right;
  product.rows = product.transposed ? inner : results;
  product.cols = product.transposed ? results : inner;
  const bool runs_by_blocks = product.rows > kMinRows && product.cols <= kMaxColumns &&
                              product.rows * product.cols > kLargeMatrix;
  const bool constant = product.matrix.whole() && graph.is_constant(product.matrix.node) &&
                        !graph.is_constant(product.vector.node);
  return runs_by_blocks && constant ? product : TallProduct{};
}

bool belongs_in_panels(const TallProduct& product) { return product.rows * product.cols > kPanels; }

Buffer in_panels(const Graph& graph, const TallProduct& product) {
  auto panels = std::make_shared<AlignedArray>(numerics::panels_size(product.rows, product.cols));
  numerics::pack_panels(product.rows, product.cols, graph.constant(product.matrix.node)->data(),
                        panels->data());
  return panels;
}

}  // namespace credo::graph
