// Sums, maxima and draws over fields without cycles, on the log scale: messages from the leaves to the roots and back
// [murphy2023, sec. 9.3].
//
//   in_v(a)   = node_v(a) + Σ_children c up_c(a)
//   up_v(b)   = log Σ_a exp(in_v(a) + pair(b, a))                                 b: label of the parent
//   down_v(a) = log Σ_b exp(in_p(b) - up_v(b) + down_p(b) + pair(b, a))
//   log Z     = Σ_roots log Σ_a exp(in(a)),   P(y_v = a) = exp(in_v(a) + down_v(a) - log Z of its tree)
#include "models/fields/field_draws.hpp"

namespace credo::models {
namespace {

// Nodes in an order in which parents come first, and the edge to each one's parent.
struct Rooted {
  std::vector<Index> order, parent, edge;  // parent -1: a root
  std::vector<std::vector<Index>> children;
  bool has_cycle = false;
};

Rooted rooted(const FieldGraph& graph) {
  const auto n = static_cast<std::size_t>(graph.num_nodes());
  std::vector<std::vector<Index>> edges(n);
  for (Index e = 0; e < ssize(graph.edges); ++e) {
    edges[static_cast<std::size_t>(graph.edges[static_cast<std::size_t>(e)].from)].push_back(e);
    edges[static_cast<std::size_t>(graph.edges[static_cast<std::size_t>(e)].to)].push_back(e);
  }
  Rooted made{.order = {},
              .parent = std::vector<Index>(n, -1),
              .edge = std::vector<Index>(n, -1),
              .children = std::vector<std::vector<Index>>(n)};
  std::vector<char> is_seen(n, 0);
  for (std::size_t root = 0; root < n; ++root) {
    if (is_seen[root]) continue;
    is_seen[root] = 1;
    made.order.push_back(static_cast<Index>(root));
    for (std::size_t at = made.order.size() - 1; at < made.order.size(); ++at) {
      const Index v = made.order[at];
      for (const Index e : edges[static_cast<std::size_t>(v)]) {
        if (e == made.edge[static_cast<std::size_t>(v)]) continue;
        const FieldEdge& edge = graph.edges[static_cast<std::size_t>(e)];
        const Index other = edge.from == v ? edge.to : edge.from;
        if (is_seen[static_cast<std::size_t>(other)]) {
          made.has_cycle = true;
          continue;
        }
        is_seen[static_cast<std::size_t>(other)] = 1;
        made.parent[static_cast<std::size_t>(other)] = v;
        made.edge[static_cast<std::size_t>(other)] = e;
        made.children[static_cast<std::size_t>(v)].push_back(other);
        made.order.push_back(other);
      }
    }
  }
  return made;
}

class ForestPass {
 public:
  ForestPass(const FieldGraph& graph, const FieldScores& scores)
      : graph_(graph), scores_(scores), tree_(rooted(graph)) {
    CREDO_ASSERT(!tree_.has_cycle, "a forest has no cycles");
    up_.resize(static_cast<std::size_t>(graph.num_nodes()));
    in_.assign(scores.nodes.begin(), scores.nodes.end());
  }

  // Messages to the parents, by sums or by maxima; returns the sum or maximum of all.
  double collect(bool by_maximum) {
    double total = 0.0;
    for (auto v = tree_.order.rbegin(); v != tree_.order.rend(); ++v) {
      const std::span<const double> own = in(*v);
      const Index parent = tree_.parent[static_cast<std::size_t>(*v)];
      if (parent < 0) {
        total +=
            by_maximum ? *std::max_element(own.begin(), own.end()) : numerics::log_sum_exp(own);
        continue;
      }
      std::vector<double>& up = up_[static_cast<std::size_t>(*v)];
      const std::span<double> above = in(parent);
      up.resize(above.size());
      for (std::size_t b = 0; b < above.size(); ++b) {
        const std::vector<double> terms = with_pairs(*v, static_cast<Index>(b), own);
        up[b] = by_maximum ? *std::max_element(terms.begin(), terms.end())
                           : numerics::log_sum_exp(terms);
        above[b] += up[b];
      }
    }
    if (total == -kInfinity) refuse_forbidden_field();
    return total;
  }

  // After collect(): node and pair probabilities.
  void distribute(FieldMoments& to) {
    std::vector<std::vector<double>> down(up_.size());
    std::vector<double> log_z(up_.size());
    for (const Index v : tree_.order) {
      const auto node = static_cast<std::size_t>(v);
      const std::span<const double> own = in(v);
      const Index parent = tree_.parent[node];
      down[node].assign(own.size(), 0.0);
      if (parent < 0) {
        log_z[node] = numerics::log_sum_exp(own);
      } else {
        log_z[node] = log_z[static_cast<std::size_t>(parent)];
        take_down(v, down[static_cast<std::size_t>(parent)], down[node], log_z[node], to);
      }
      for (std::size_t a = 0; a < own.size(); ++a)
        to.nodes[static_cast<std::size_t>(graph_.first[node]) + a] =
            probability_of(own[a] + down[node][a], log_z[node]);
    }
  }

  // From the roots to the leaves: choose(logs) is the label of a node, given that of its parent.
  template <class Choose>
  std::vector<Index> labels(Choose choose) {
    std::vector<Index> made(up_.size());
    for (const Index v : tree_.order) {
      const Index parent = tree_.parent[static_cast<std::size_t>(v)];
      const std::span<const double> own = in(v);
      made[static_cast<std::size_t>(v)] =
          parent < 0 ? choose(std::vector<double>(own.begin(), own.end()))
                     : choose(with_pairs(v, made[static_cast<std::size_t>(parent)], own));
    }
    return made;
  }

 private:
  std::span<double> in(Index v) {
    const auto node = static_cast<std::size_t>(v);
    return std::span(in_).subspan(static_cast<std::size_t>(graph_.first[node]),
                                  static_cast<std::size_t>(graph_.num_labels[node]));
  }
  double pair(Index v, Index parent_label, Index label) const {
    const FieldEdge& edge =
        graph_.edges[static_cast<std::size_t>(tree_.edge[static_cast<std::size_t>(v)])];
    return edge.to == v ? edge_score(edge, scores_, parent_label, label)
                        : edge_score(edge, scores_, label, parent_label);
  }
  std::vector<double> with_pairs(Index v, Index parent_label, std::span<const double> own) const {
    std::vector<double> terms(own.begin(), own.end());
    for (std::size_t a = 0; a < terms.size(); ++a)
      terms[a] += pair(v, parent_label, static_cast<Index>(a));
    return terms;
  }
  // in_p - up_v, by the sum of the other children if the difference isn't defined.
  double without(Index parent, Index v, std::size_t b) {
    const double up = up_[static_cast<std::size_t>(v)][b];
    if (up > -kInfinity) return in(parent)[b] - up;
    double sum =
        scores_.nodes[static_cast<std::size_t>(graph_.first[static_cast<std::size_t>(parent)]) + b];
    for (const Index child : tree_.children[static_cast<std::size_t>(parent)])
      if (child != v) sum += up_[static_cast<std::size_t>(child)][b];
    return sum;
  }
  // The message from the parent, and the probabilities of pairs of labels of both.
  void take_down(Index v, const std::vector<double>& down_parent, std::vector<double>& down,
                 double log_z, FieldMoments& to) {
    const auto node = static_cast<std::size_t>(v);
    const Index parent = tree_.parent[node];
    const FieldEdge& edge = graph_.edges[static_cast<std::size_t>(tree_.edge[node])];
    std::vector<double>& pairs = to.pairs[static_cast<std::size_t>(edge.type)];
    const Index cols = scores_.pairs[static_cast<std::size_t>(edge.type)].cols;
    const std::span<const double> own = in(v);
    std::vector<double> above(down_parent.size()), terms(down_parent.size());
    for (std::size_t b = 0; b < above.size(); ++b)
      above[b] = without(parent, v, b) + down_parent[b];
    for (std::size_t a = 0; a < own.size(); ++a) {
      for (std::size_t b = 0; b < above.size(); ++b)
        terms[b] = above[b] + pair(v, static_cast<Index>(b), static_cast<Index>(a));
      down[a] = numerics::log_sum_exp(terms);
      for (std::size_t b = 0; b < above.size(); ++b) {
        const auto i = static_cast<Index>(a), j = static_cast<Index>(b);
        const Index place = edge.to == v ? j * cols + i : i * cols + j;
        pairs[static_cast<std::size_t>(place)] +=
            edge.weight * probability_of(terms[b] + own[a], log_z);
      }
    }
  }

  const FieldGraph& graph_;
  const FieldScores& scores_;
  Rooted tree_;
  std::vector<double> in_;
  std::vector<std::vector<double>> up_;
};

class ForestEngine final : public FieldEngine {
 public:
  bool is_exact() const override { return true; }
  FieldMoments moments(const FieldGraph& graph, const FieldScores& scores) const override {
    ForestPass pass(graph, scores);
    FieldMoments made = FieldMoments::zero(graph, scores);
    made.log_z = pass.collect(false);
    pass.distribute(made);
    return made;
  }
  std::vector<Index> best(const FieldGraph& graph, const FieldScores& scores) const override {
    ForestPass pass(graph, scores);
    pass.collect(true);
    return pass.labels([](const std::vector<double>& logs) { return place_of_largest(logs); });
  }
  std::vector<Index> draw(const FieldGraph& graph, const FieldScores& scores,
                          Rng& rng) const override {
    ForestPass pass(graph, scores);
    pass.collect(false);
    return pass.labels(
        [&](std::vector<double> logs) { return draw_of_logs(std::move(logs), rng); });
  }
};
}  // namespace

bool is_forest(const FieldGraph& graph) { return !rooted(graph).has_cycle; }

std::unique_ptr<FieldEngine> forest_engine() { return std::make_unique<ForestEngine>(); }

}  // namespace credo::models
