// A log density as a sum of factors over some scalars of its input, the sites: which sites each
// summand depends on, found from the graph. Discrete parameters are summed out and drawn with them
// (docs/design/discrete.md).
#pragma once
#include <set>

#include "graph/passes/rebuild.hpp"

namespace credo::graph {

using Sites = std::vector<std::int32_t>;  // ascending

struct Factors {
  std::vector<Sites> scopes;  // scope of each factor, all different
  Expr values;                // a vector, one element a factor; empty without factors
  Expr rest = 0.0;            // of the summands without a site
  Expr states = 0.0;          // the sum of the summands that stand for checks; in the others, too
  Expr wide = 0.0;            // for updates: sum of summands on more sites than the widest scope
  std::int32_t too_wide = 0;  // a statement whose summand depends on more sites than that
};
inline constexpr std::size_t kWidestScope = 6, kWidestUpdate = 16;

// Purpose of the factors: to sum the sites out, or to update them given the others. Updates take
// summands of any width, apart, and coefficients that depend on no site out of sums.
enum class FactorUse { elimination, updates };

// `target` is a scalar of the graph; input element `first_site` + m is site m. Nodes are added.
// Checks that depend on sites alone (for updates: on any site) become summands of 0 or -infinity: a
// state that breaks one has no probability, the point isn't refused.
Factors factorise(Graph& graph, const Expr& target, NodeId input, Index first_site,
                  FactorUse use = FactorUse::elimination);

// A graph again, several times over in one new graph, each time with other numbers for the last
// elements of its input. Equal nodes, also of different times, are added once.
class Substitution {
 public:
  // The new graph's input has the first `input_size` elements of the old one's.
  Substitution(const Traced& from, Index input_size);

  // From now on the other elements are these numbers. With checks, those that depend on the numbers
  // alone are left out (they have become summands), the others are copied.
  void set(std::span<const double> known, bool with_checks);
  Expr operator()(const Expr& of_from) const;  // value after the last set()

  Graph& to() { return rebuild_.to(); }
  Traced finish(std::vector<Expr> outputs);

 private:
  Expr operand(Ref ref) const;
  Expr substituted(const Node& node, std::span<const Expr> in);
  void add_check(const Node& node, std::span<const Expr> in);
  Expr once(const Op& op, Shape shape, std::span<const Expr> in, const Attributes& attributes);

  const Traced& from_;
  Rebuild rebuild_;
  Graph& to_graph_ = rebuild_.to();
  NodeId input_;
  Index input_size_;
  std::vector<double> known_;
  std::vector<Expr> values_;    // by node
  std::vector<char> on_sites_;  // nodes that depend on the other elements alone
  std::set<std::vector<std::int32_t>> checks_;
};

// Sites on which the elements of nodes depend: 0 for the empty set, else an interned set.
class Dependence {
 public:
  // Sets of more than `widest` sites are cut to one more: they say only that they are too wide.
  Dependence(const Graph& graph, NodeId input, Index first_site, std::size_t widest = kWidestScope);
  // `site_of`: the number of the site that each element of the input is; -1: no site.
  Dependence(const Graph& graph, NodeId input, std::vector<std::int32_t> site_of,
             std::size_t widest);

  void extend();             // nodes that were added meanwhile
  std::int32_t of(Ref ref);  // of an element, or the union over a whole node
  std::int32_t joined(std::int32_t a, std::int32_t b);  // the union of two sets
  const Sites& sites(std::int32_t set) const { return sets_[static_cast<std::size_t>(set)]; }
  bool only_on_sites(Ref ref);
  bool on_any(Ref ref) const {  // true if of(ref) isn't empty; costs nothing
    return ref.whole() ? !by_element_[static_cast<std::size_t>(ref.node)].empty()
                       : element(ref.node, ref.element) != 0;
  }

 private:
  std::int32_t element(NodeId id, Index k) const;
  std::int32_t interned(Sites sites);
  void add(NodeId id);
  std::vector<std::int32_t> sets_of(NodeId id);
  bool is_site(Ref ref) const;
  std::int32_t place_of(Ref ref, std::size_t k) const;
  bool add_product(const Node& node, std::vector<std::int32_t>& sets);
  std::int32_t of_matmul(const Node& node, Index i, Index j);
  bool is_known_zero(Ref ref, Index element) const;

  const Graph& graph_;
  NodeId input_;
  std::vector<std::int32_t> site_of_;
  std::size_t widest_;
  std::vector<Sites> sets_{{}};
  std::map<Sites, std::int32_t> index_{{{}, 0}};
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> joined_;
  std::vector<std::vector<std::int32_t>> by_element_;  // sets of each node; empty: all 0
  std::vector<char> on_rest_;                          // depends on an element before the sites
};

}  // namespace credo::graph
