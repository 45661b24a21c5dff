// Containers as sums of products of known numbers and unknowns:
//
//   x_i = sum_t  scale_t  prod known_t(i)  prod unknown_t(i)
//
// An unknown is one number, or a container that is equal in classes of its elements, such as the effects of
// groups. Known numbers are read where they lie, so a long design is never copied.
#pragma once
#include "graph/passes/simplify_classes.hpp"

namespace credo::graph {

// The elements of a container from which rows are read; null: row i reads element i.
using ElementsPtr = std::shared_ptr<const std::vector<std::int32_t>>;

inline std::size_t position(Index i) { return static_cast<std::size_t>(i); }

inline Index element_in_row(const ElementsPtr& elements, Index row) {
  return elements == nullptr ? row : (*elements)[static_cast<std::size_t>(row)];
}

struct KnownFactor {
  Buffer data;
  Index first = 0, step = 1;
  ElementsPtr elements;
  double at(Index row) const { return (*data)[first + step * element_in_row(elements, row)]; }
  bool operator==(const KnownFactor&) const = default;
};

struct UnknownFactor {
  Ref ref;               // a scalar, or a whole container with classes
  ElementsPtr elements;  // of the container
  bool inverse = false;
};

struct Product {
  double scale = 1.0;
  std::vector<KnownFactor> known;
  std::vector<UnknownFactor> unknown;
};

struct ProductSum {
  Index size = 0;
  std::vector<Product> products;
  std::vector<NodeId> nodes;  // the nodes that compute it, itself first
  double work = 0.0;          // additions and products that compute it, roughly
};

// The node that is no sum of such products.
struct Obstacle {
  NodeId node = kNoNode;
  std::string_view reason;
};

class ProductFinder {
 public:
  ProductFinder(const Graph& graph, ClassFinder& classes) : graph_(graph), classes_(classes) {}

  // Node `id`, each row times the factors of `start`; nothing if there is an obstacle.
  std::optional<ProductSum> find(NodeId id, const Product& start = {});
  const Obstacle& obstacle() const { return obstacle_; }

 private:
  bool visit(const Ref& ref, Product so_far, const ElementsPtr& elements);
  bool visit_container(NodeId id, const Product& so_far, const ElementsPtr& elements);
  bool expand(NodeId id, const Product& so_far, const ElementsPtr& elements);
  bool expand_product(NodeId id, const Product& so_far, const ElementsPtr& elements);
  bool expand_quotient(const Node& node, const Product& so_far, const ElementsPtr& elements);
  bool expand_gather(NodeId id, const Product& so_far, const ElementsPtr& elements);
  bool expand_design(const Node& node, const Product& so_far, const ElementsPtr& elements);
  bool divide(Product& product, const Ref& by, const ElementsPtr& elements);
  bool is_factor(const Ref& ref);
  Product times(Product product, const Ref& ref, const ElementsPtr& elements) const;
  bool obstruct(NodeId id, std::string_view reason);

  const Graph& graph_;
  ClassFinder& classes_;
  ProductSum sum_;
  Obstacle obstacle_;
};

}  // namespace credo::graph
