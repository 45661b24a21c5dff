// Passes: graph in, equivalent graph out. Each can be dumped, verified and switched off; a program
// made with no pass at all is the reference for every one of them.
//
//   trace → columns → [cse, balance, reroll, simplify, split, grouped, statistics, distinct,
//   simplify, cse, dead-code] → gradient → [the same] → fuse → run
//
// If no gradient is requested, `logarithms` takes its place.
#pragma once
#include "graph/core/expr.hpp"

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
  Traced (*run)(const Traced&);  // null: the tracer or the executor does it when it is chosen
};

std::span<const Pass* const> pass_table();

// The passes that a user chose.
class Passes {
 public:
  // "all" (or empty), "none", names joined by commas, or "all" without some: "all,-reroll" or "-reroll". Throws
  // Error{usage} for an unknown name.
  explicit Passes(std::string_view names = "all");

  bool has(std::string_view name) const;

  // Called with the graph after each pass.
  using Observer = std::function<void(std::string_view pass, const Traced&)>;

  // Runs the chosen graph passes in their order: once on the traced values, once more when the
  // gradient has joined them.
  Traced run(Traced traced, const Observer& observer = {}) const;

  // Behind `run`, for values that nothing will differentiate.
  Traced run_last(Traced traced, const Observer& observer = {}) const;

 private:
  Traced run_each(std::span<const Pass* const> order, Traced traced,
                  const Observer& observer) const;

  std::vector<const Pass*> chosen_;
};

// Order, operand ranges and element bounds; an empty text if all is well.
std::string verify(const Graph& graph);

// The outputs as text, each an expression of the dumped graph.
std::string dump(const Traced& traced);

}  // namespace credo::graph
