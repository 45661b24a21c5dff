// Parts of a body on a tree with springs: labels are places on a line, and a pair at places p, q has the score -spring (p - q)²
// [murphy2023, sec. 19.2.2.2]. The best places need K steps for each part in the place of K²: the maximum over a parabola at each
// place is the upper envelope of parabolas [felzenszwalb2012, alg. 1]. Sums are those of a forest, K² for each part.
#include "models/fields/parts.hpp"
#include "models/fields/field_draws.hpp"

namespace credo::models {

SpringMaximum spring_maximum(std::span<const double> values, std::span<const double> places,
                             double spring) {
  const std::size_t n = values.size();
  std::vector<std::size_t> peak;  // peaks of the envelope's parabolas, from left to right
  std::vector<double> border;     // where each one becomes the highest
  const auto crossing = [&](std::size_t a, std::size_t b) {
    // values[a] - s (x - a)² = values[b] - s (x - b)²
    return 0.5 * (places[a] + places[b]) +
           (values[a] - values[b]) / (2.0 * spring * (places[b] - places[a]));
  };
  for (std::size_t k = 0; k < n; ++k) {
    if (values[k] == -kInfinity) continue;
    while (!peak.empty() && crossing(peak.back(), k) <= border.back())
      peak.pop_back(), border.pop_back();
    border.push_back(peak.empty() ? -kInfinity : crossing(peak.back(), k));
    peak.push_back(k);
  }
  SpringMaximum made{.values = std::vector<double>(n, -kInfinity),
                     .from = std::vector<Index>(n, 0)};
  for (std::size_t q = 0, at = 0; q < n && !peak.empty(); ++q) {
    while (at + 1 < peak.size() && border[at + 1] < places[q]) ++at;
    const double step = places[q] - places[peak[at]];
    made.values[q] = values[peak[at]] - spring * step * step;
    made.from[q] = static_cast<Index>(peak[at]);
  }
  return made;
}

namespace {
class PartsEngine final : public FieldEngine {
 public:
  PartsEngine(std::vector<double> places, double spring)
      : places_(std::move(places)), spring_(spring) {}
  bool is_exact() const override { return true; }
  FieldMoments moments(const FieldGraph& graph, const FieldScores& scores) const override {
    return forest_->moments(graph, scores);
  }
  std::vector<Index> draw(const FieldGraph& graph, const FieldScores& scores,
                          Rng& rng) const override {
    return forest_->draw(graph, scores, rng);
  }
  // Edges lead from a parent to a child. Parts are taken children first.
  std::vector<Index> best(const FieldGraph& graph, const FieldScores& scores) const override {
    const auto n = static_cast<std::size_t>(graph.num_nodes()), k = places_.size();
    std::vector<Index> parent(n, -1), num_children(n, 0), order;
    for (const FieldEdge& edge : graph.edges) {
      parent[static_cast<std::size_t>(edge.to)] = edge.from;
      ++num_children[static_cast<std::size_t>(edge.from)];
    }
    std::vector<Index> open = num_children;
    for (std::size_t i = 0; i < n; ++i)
      if (open[i] == 0) order.push_back(static_cast<Index>(i));
    std::vector<double> sums(scores.nodes.begin(), scores.nodes.end());
    std::vector<std::vector<Index>> from(n);
    for (std::size_t at = 0; at < order.size(); ++at) {
      const auto child = static_cast<std::size_t>(order[at]);
      if (parent[child] < 0) continue;
      const auto above = static_cast<std::size_t>(parent[child]);
      SpringMaximum best = spring_maximum(std::span(sums).subspan(child * k, k), places_, spring_);
      for (std::size_t a = 0; a < k; ++a) sums[above * k + a] += best.values[a];
      from[child] = std::move(best.from);
      if (--open[above] == 0) order.push_back(static_cast<Index>(above));
    }
    std::vector<Index> labels(n, 0);
    for (std::size_t at = order.size(); at-- > 0;) {
      const auto node = static_cast<std::size_t>(order[at]);
      labels[node] = parent[node] < 0 ? place_of_largest(std::span(sums).subspan(node * k, k))
                                      : from[node][static_cast<std::size_t>(
                                            labels[static_cast<std::size_t>(parent[node])])];
    }
    return labels;
  }

 private:
  std::vector<double> places_;
  double spring_;
  std::unique_ptr<FieldEngine> forest_ = forest_engine();
};
}  // namespace

std::unique_ptr<FieldEngine> parts_engine(std::vector<double> places, double spring) {
  return std::make_unique<PartsEngine>(std::move(places), spring);
}

}  // namespace credo::models
