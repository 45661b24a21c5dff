// Groups of rows in which a sum of products has few unknowns, and the triangles of its known numbers.
//
//   x_i = c_i + z_i' u_g(i) + d_i' p         q unknowns u_g of each group, k unknowns p of all rows
//
// Columns are products with equal known numbers: their unknowns are added before they meet data. Unknowns of
// several indices make groups of the rows that agree in all of them; an index of few levels may instead give
// an unknown of all rows for each level, if that is less work.
#pragma once
#include "graph/passes/simplify_products.hpp"

namespace credo::graph {

// A container of unknowns that are equal in classes of rows.
struct UnknownSource {
  NodeId node = kNoNode;
  ElementsPtr elements;
  ClassesPtr classes;
  bool is_spread = false;  // each class is an unknown of all rows
  std::int32_t class_of(Index row) const {
    return classes->of[static_cast<std::size_t>(element_in_row(elements, row))];
  }
};

struct GroupedColumn {
  std::vector<std::size_t> products;    // with equal known numbers
  std::size_t source = kWithoutSource;  // a spread one
  std::int32_t level = 0;
  static constexpr std::size_t kWithoutSource = ~std::size_t{0};
};

struct RowGroups {
  std::vector<std::int32_t> of;     // group of each row
  std::vector<std::int32_t> first;  // a row of each group
  Index count() const { return ssize(first); }
};

struct GroupedPlan {
  ProductSum sum;
  std::vector<UnknownSource> sources;
  std::vector<GroupedColumn> local, global;  // u_g, p
  std::vector<std::size_t> known;            // the products without unknowns: c
  RowGroups groups;
  double cost = 0.0;  // operations of the groups

  std::size_t source_of(const UnknownFactor& factor) const;
  // Known numbers of a column in one row.
  double number(const GroupedColumn& column, Index row) const;
  double constant(Index row) const;
};

// The cheapest groups; nothing if more than half of the rows would be groups.
std::optional<GroupedPlan> plan_groups(const Graph& graph, ClassFinder& classes, ProductSum sum);

// The triangles of (Z_g D_g c_g), without the rows that all groups share.
struct GroupedTriangles {
  std::size_t q = 0, k = 0;
  std::vector<std::vector<double>> local = {};   // q x q: R_ij of all groups at i + j q
  std::vector<std::vector<double>> global = {};  // q: groups x k, by columns
  std::vector<std::vector<double>> shift = {};   // q: c_i of all groups
  std::vector<double> shared = {};               // (k + 1) x (k + 1): the rows without u
};
// Operations of reading all rows, and the triangles; nothing if they aren't finite.
double reading_cost(const GroupedPlan& plan);
std::optional<GroupedTriangles> grouped_triangles(const GroupedPlan& plan);

}  // namespace credo::graph
