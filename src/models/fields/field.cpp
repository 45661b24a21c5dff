#include "models/fields/field.hpp"

#include "base/error.hpp"
#include "numerics/elementary.hpp"

namespace credo::models {

void FieldGraph::add_node(Index labels) {
  if (first.empty()) first.push_back(0);
  num_labels.push_back(labels);
  first.push_back(first.back() + labels);
}

void PairTable::prepare() {
  largest = -kInfinity;
  double least = kInfinity;
  for (const double x : scores) {
    largest = std::max(largest, x);
    if (x > -kInfinity) least = std::min(least, x);
  }
  range = largest > -kInfinity ? largest - least : 0.0;
  exps.resize(scores.size());
  for (std::size_t k = 0; k < scores.size(); ++k)
    exps[k] = scores[k] > -kInfinity ? numerics::exp(scores[k] - largest) : 0.0;
}

FieldMoments FieldMoments::zero(const FieldGraph& graph, const FieldScores& scores) {
  FieldMoments made;
  made.nodes.assign(static_cast<std::size_t>(graph.num_scores()), 0.0);
  for (const PairTable& table : scores.pairs) made.pairs.emplace_back(table.scores.size(), 0.0);
  return made;
}

std::vector<Index> FieldEngine::draw(const FieldGraph& /*graph*/, const FieldScores& /*scores*/,
                                     Rng& /*rng*/) const {
  throw Error(ErrorCode::usage,
              "draws of labels need an exact structure, and this one is approximated", "--draws",
              "leave it out, or raise --exact-states");
}

double FieldEngine::log_probability(const FieldGraph& graph, const FieldScores& scores,
                                    std::span<const Index> labels, FieldMoments* slope) const {
  FieldMoments expected = moments(graph, scores);
  const double log_p = score_of(graph, scores, labels) - expected.log_z;
  if (slope == nullptr) return log_p;
  for (double& p : expected.nodes) p = -p;
  for (std::vector<double>& table : expected.pairs)
    for (double& p : table) p = -p;
  for (Index i = 0; i < graph.num_nodes(); ++i) {
    const auto node = static_cast<std::size_t>(i);
    expected.nodes[static_cast<std::size_t>(graph.first[node] + labels[node])] += 1.0;
  }
  for (const FieldEdge& edge : graph.edges) {
    const auto type = static_cast<std::size_t>(edge.type);
    const Index a = labels[static_cast<std::size_t>(edge.from)],
                b = labels[static_cast<std::size_t>(edge.to)];
    expected.pairs[type][static_cast<std::size_t>(a * scores.pairs[type].cols + b)] += edge.weight;
  }
  *slope = std::move(expected);
  return log_p;
}

double score_of(const FieldGraph& graph, const FieldScores& scores, std::span<const Index> labels) {
  double score = 0.0;
  for (Index i = 0; i < graph.num_nodes(); ++i) {
    const auto node = static_cast<std::size_t>(i);
    score += scores.nodes[static_cast<std::size_t>(graph.first[node] + labels[node])];
  }
  for (const FieldEdge& edge : graph.edges)
    score += edge_score(edge, scores, labels[static_cast<std::size_t>(edge.from)],
                        labels[static_cast<std::size_t>(edge.to)]);
  return score;
}

}  // namespace credo::models
