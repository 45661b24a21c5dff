// The graph of a network: which nodes are independent given others, its undirected form, and its cliques.
#pragma once
#include "models/network/network.hpp"

namespace credo::models {

// True if every path between nodes of a and b is blocked by the given ones, so that the graph alone says that a and b are independent given
// them, whatever the tables: d-separation by reachability [koller2009 alg. 3.1], O(nodes + arrows). In an undirected model a path is blocked
// by a given node [koller2009 def. 4.3]. Throws Error(usage) if the three sets share a node.
struct SeparationQuestion {
  std::vector<std::int32_t> a, b, given;
};
bool is_separated(const Network& network, const SeparationQuestion& question);

// An active path from a node of a to one of b, its ends included; empty if they are separated.
std::vector<std::int32_t> active_path(const Network& network, const SeparationQuestion& question);

// Pairs of nodes that a factor holds, ascending: a directed model's arrows without their heads, and the parents of each node joined
// [koller2009 def. 4.16].
std::vector<std::pair<std::int32_t, std::int32_t>> moral_edges(const Network& network);

// The scopes and sizes of factors_of() without their numbers, by which an elimination is planned.
numerics::FactorTables factors_of_shape(const Network& network);

// Largest sets of nodes that meet in a sum of the elimination: the cliques of the junction tree of its order [koller2009 sec. 9.4].
std::vector<numerics::Scope> cliques_of(const numerics::EliminationPlan& plan);

}  // namespace credo::models
