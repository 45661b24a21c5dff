// The places at which the second derivatives of a scalar by some elements of its input may differ from zero, found from the
// graph: a superset, which depends on no number but constants.
#pragma once
#include "graph/factors/factors.hpp"

namespace credo::graph {

struct CurvaturePairs {
  std::vector<std::pair<std::int32_t, std::int32_t>>
      pairs;              // sites (row, col), row > col, ascending
  bool is_dense = false;  // a summand depends on too many sites to list them: all pairs
};

// `site_of`: the number of the site that each element of the input is, -1: none (Dependence). The target is taken apart into
// summands; each may bend in all pairs of its sites.
CurvaturePairs curvature_pairs(const Graph& graph, NodeId input, const Expr& target,
                               std::vector<std::int32_t> site_of);

}  // namespace credo::graph
