// A log density as a sum of factors over some scalars of its input, the sites: which sites each
// summand depends on, found from the graph. What discrete parameters are summed out and drawn with
// (docs/design/discrete.md).
#pragma once
#include "graph/passes.hpp"

namespace credo::graph {

using Sites = std::vector<std::int32_t>;  // ascending

struct Factors {
  std::vector<Sites> scopes;  // of each factor, all different
  Expr values;                // a vector, one element a factor; empty without factors
  Expr rest = 0.0;            // of the summands without a site
  std::int32_t too_wide = 0;  // a statement whose summand depends on more sites than kWidest
};
inline constexpr std::size_t kWidestScope = 6;

// `target` is a scalar of the graph; input element `first_site` + m is site m. Nodes are added.
// Checks that depend on sites become summands of 0 or -infinity: a state that breaks one has no
// probability, the point isn't refused.
Factors factorise(Graph& graph, const Expr& target, NodeId input, Index first_site);

// The nodes of `from` again in `to`, with numbers for the last elements of its input: `known`
// follows the elements of `input`, a node of `to`. Checks that depend on the known ones are left
// out; the others are copied if `with_checks`.
class Substitution {
 public:
  Substitution(const Graph& from, NodeId from_input, Graph& to, const Expr& input,
               std::span<const double> known, bool with_checks);
  Expr operator()(const Expr& of_from) const;

 private:
  Expr operand(Ref ref) const;
  Expr whole_input_gather(const Node& node) const;

  const Graph& from_;
  NodeId from_input_;
  Expr input_;
  std::vector<double> known_;
  std::vector<Expr> values_;  // by node
};

// What the elements of nodes depend on: 0 nothing, else an interned set.
class Dependence {
 public:
  Dependence(const Graph& graph, NodeId input, Index first_site);

  void extend();             // nodes that were added meanwhile
  std::int32_t of(Ref ref);  // of an element, or the union over a whole node
  const Sites& sites(std::int32_t set) const { return sets_[static_cast<std::size_t>(set)]; }
  bool only_on_sites(Ref ref);

 private:
  std::int32_t element(NodeId id, Index k) const;
  std::int32_t joined(std::int32_t a, std::int32_t b);
  std::int32_t interned(Sites sites);
  void add(NodeId id);
  std::vector<std::int32_t> sets_of(NodeId id);

  const Graph& graph_;
  NodeId input_;
  Index first_site_;
  std::vector<Sites> sets_{{}};
  std::map<Sites, std::int32_t> index_{{{}, 0}};
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> joined_;
  std::vector<std::vector<std::int32_t>> by_element_;  // of each node; empty: all 0
  std::vector<char> on_rest_;                          // depends on an element before the sites
};

}  // namespace credo::graph
