// Passes: graph in, equivalent graph out. Each can be dumped, verified and switched off; a program
// made with no pass at all is the reference for every one of them.
#pragma once
#include "graph/expr.hpp"

namespace credo::graph {

// A graph with the expressions that matter outside it.
struct Traced {
  std::unique_ptr<Graph> graph;
  NodeId input = kNoNode;
  std::vector<Expr> outputs;
};

struct Pass {
  std::string_view name;
  std::string_view summary;
  Traced (*run)(const Traced&);
};

std::span<const Pass* const> pass_table();  // in the order in which they run

// "all" (or empty), "none", or names joined by commas. Throws Error{usage} for an unknown name.
std::vector<const Pass*> choose_passes(std::string_view names);
Traced run_passes(Traced traced, std::span<const Pass* const> passes);

// Order, operand ranges and element bounds; an empty text if all is well.
std::string verify(const Graph& graph);

}  // namespace credo::graph
