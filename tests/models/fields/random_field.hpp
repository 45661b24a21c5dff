// Small fields with random scores, and answers by enumeration of all labellings in long double.
#pragma once
#include "models/fields/field.hpp"

namespace credo::models::testing {

struct RandomField {
  FieldGraph graph;
  std::vector<double> nodes;
  std::vector<PairTable> pairs;
  FieldScores scores() const { return {.nodes = nodes, .pairs = pairs}; }
};

// Calls visit(labels) for each labelling.
template <class Visit>
void for_each_labelling(const FieldGraph& graph, Visit visit) {
  std::vector<Index> labels(static_cast<std::size_t>(graph.num_nodes()), 0);
  for (;;) {
    visit(labels);
    std::size_t i = 0;
    for (; i < labels.size() && ++labels[i] == graph.num_labels[i]; ++i) labels[i] = 0;
    if (i == labels.size()) return;
  }
}

struct Enumerated {
  long double log_z = 0.0L, largest = 0.0L;
  std::vector<long double> nodes;
  std::vector<std::vector<long double>> pairs;
};

inline Enumerated enumerate(const FieldGraph& graph, const FieldScores& scores) {
  Enumerated made;
  made.nodes.resize(static_cast<std::size_t>(graph.num_scores()));
  for (const PairTable& table : scores.pairs) made.pairs.emplace_back(table.scores.size());
  made.largest = -std::numeric_limits<long double>::infinity();
  const auto total = [&](const std::vector<Index>& labels) {
    long double sum = 0.0L;
    for (std::size_t i = 0; i < labels.size(); ++i)
      sum += static_cast<long double>(
          scores.nodes[static_cast<std::size_t>(graph.first[i] + labels[i])]);
    for (const FieldEdge& edge : graph.edges)
      sum += static_cast<long double>(edge.weight) *
             static_cast<long double>(scores.pairs[static_cast<std::size_t>(edge.type)].at(
                 labels[static_cast<std::size_t>(edge.from)],
                 labels[static_cast<std::size_t>(edge.to)]));
    return sum;
  };
  for_each_labelling(graph, [&](const std::vector<Index>& labels) {
    made.largest = std::max(made.largest, total(labels));
  });
  long double z = 0.0L;
  for_each_labelling(graph, [&](const std::vector<Index>& labels) {
    const long double p = std::exp(total(labels) - made.largest);
    z += p;
    for (std::size_t i = 0; i < labels.size(); ++i)
      made.nodes[static_cast<std::size_t>(graph.first[i] + labels[i])] += p;
    for (const FieldEdge& edge : graph.edges) {
      const auto type = static_cast<std::size_t>(edge.type);
      made.pairs[type][static_cast<std::size_t>(
          labels[static_cast<std::size_t>(edge.from)] * scores.pairs[type].cols +
          labels[static_cast<std::size_t>(edge.to)])] += p * static_cast<long double>(edge.weight);
    }
  });
  made.log_z = made.largest + std::log(z);
  for (long double& p : made.nodes) p /= z;
  for (auto& table : made.pairs)
    for (long double& p : table) p /= z;
  return made;
}

enum class GraphKind { chain, tree, any };

// A table of normal scores, some of them forbidden. The first column is never forbidden, so that some labelling is allowed.
inline PairTable random_pairs(Index rows, Index cols, double width, double share_forbidden,
                              Rng& rng) {
  PairTable table{.rows = rows, .cols = cols};
  for (Index a = 0; a < rows; ++a)
    for (Index b = 0; b < cols; ++b)
      table.scores.push_back(b > 0 && rng.uniform() < share_forbidden ? -kInfinity
                                                                      : width * rng.normal());
  table.prepare();
  return table;
}

// A chain has one type of pair; other graphs have one type for each edge, so that sums by type are marginals of edges.
inline RandomField random_field(GraphKind kind, Index num_nodes, double width,
                                double share_forbidden, Rng& rng) {
  RandomField made;
  const Index same = 2 + rng.index_below(2);
  for (Index i = 0; i < num_nodes; ++i)
    made.graph.add_node(kind == GraphKind::chain ? same : 2 + rng.index_below(2));
  for (Index k = 0; k < made.graph.num_scores(); ++k) made.nodes.push_back(width * rng.normal());
  const auto join = [&](Index from, Index to) {
    const bool is_new = kind != GraphKind::chain || made.pairs.empty();
    made.graph.edges.push_back({.from = from,
                                .to = to,
                                .type = is_new ? ssize(made.pairs) : 0,
                                .weight = kind == GraphKind::chain ? 1.0 : 0.5 + rng.uniform()});
    if (is_new)
      made.pairs.push_back(random_pairs(made.graph.num_labels[static_cast<std::size_t>(from)],
                                        made.graph.num_labels[static_cast<std::size_t>(to)], width,
                                        share_forbidden, rng));
  };
  for (Index i = 1; i < num_nodes; ++i) {
    const Index other = kind == GraphKind::chain ? i - 1 : rng.index_below(i);
    const bool is_turned = kind != GraphKind::chain && rng.uniform() < 0.5;
    if (kind != GraphKind::any || rng.uniform() < 0.8)
      join(is_turned ? i : other, is_turned ? other : i);
  }
  for (Index i = 0; kind == GraphKind::any && i + 2 < num_nodes; ++i)
    if (rng.uniform() < 0.5) join(i, i + 2);
  if (made.pairs.empty()) made.pairs.push_back(random_pairs(same, same, width, 0.0, rng));
  return made;
}

}  // namespace credo::models::testing
