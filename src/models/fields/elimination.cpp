// Exact sums, maxima and draws over any graph: nodes enter a table of labellings in their order, and leave it behind their last
// neighbour [murphy2023, sec. 9.5]. The table has K^width entries.
#include "models/fields/field_draws.hpp"

namespace credo::models {
namespace {

// A table over the labels of some nodes, the last one's fastest.
struct LabelTable {
  std::vector<Index> nodes = {};
  std::vector<double> logs = {0.0};
};

// A step enters `node`, or eliminates it from the table: then `place` is its place there.
struct EliminationStep {
  Index node = 0, place = -1;
  bool enters() const { return place < 0; }
};

std::vector<Index> last_neighbours(const FieldGraph& graph) {
  std::vector<Index> last(static_cast<std::size_t>(graph.num_nodes()));
  std::iota(last.begin(), last.end(), Index{0});
  for (const FieldEdge& edge : graph.edges) {
    Index& from = last[static_cast<std::size_t>(edge.from)];
    Index& to = last[static_cast<std::size_t>(edge.to)];
    from = std::max(from, edge.to), to = std::max(to, edge.from);
  }
  return last;
}

std::vector<EliminationStep> elimination_steps(const FieldGraph& graph) {
  const std::vector<Index> last = last_neighbours(graph);
  std::vector<EliminationStep> steps;
  std::vector<Index> open;
  for (Index node = 0; node < graph.num_nodes(); ++node) {
    steps.push_back({.node = node});
    open.push_back(node);
    for (std::size_t k = 0; k < open.size();) {
      if (last[static_cast<std::size_t>(open[k])] > node) {
        ++k;
        continue;
      }
      steps.push_back({.node = open[k], .place = static_cast<Index>(k)});
      open.erase(open.begin() + static_cast<Index>(k));
    }
  }
  return steps;
}

class EliminationPass {
 public:
  EliminationPass(const FieldGraph& graph, const FieldScores& scores)
      : graph_(graph),
        scores_(scores),
        steps_(elimination_steps(graph)),
        earlier_(static_cast<std::size_t>(graph.num_nodes())) {
    for (const FieldEdge& edge : graph.edges)
      earlier_[static_cast<std::size_t>(std::max(edge.from, edge.to))].push_back(&edge);
  }

  // Runs all steps; returns the log of the sum, or the maximum, over all labellings.
  double collect(bool by_maximum) {
    tables_.assign(1, LabelTable{});
    for (const EliminationStep& step : steps_)
      tables_.push_back(step.enters() ? entered(tables_.back(), step.node)
                                      : eliminated(tables_.back(), step, by_maximum));
    const double total = tables_.back().logs[0];
    if (total == -kInfinity) refuse_forbidden_field();
    return total;
  }

  // Probabilities of the entries of each table, from the last one back.
  void distribute(FieldMoments& to) const {
    std::vector<double> after{1.0};
    for (std::size_t s = steps_.size(); s-- > 0;) {
      const EliminationStep& step = steps_[s];
      const LabelTable &from = tables_[s], &made = tables_[s + 1];
      std::vector<double> before(from.logs.size(), 0.0);
      if (step.enters()) {
        take_marginals(made, step.node, after, to);
        const auto k = static_cast<std::size_t>(labels_of(step.node));
        for (std::size_t i = 0; i < after.size(); ++i) before[i / k] += after[i];
      } else {
        for (std::size_t i = 0; i < before.size(); ++i) {
          const std::size_t place = without(from, step, i);
          if (after[place] > 0.0)
            before[i] = after[place] * probability_of(from.logs[i], made.logs[place]);
        }
      }
      after.swap(before);
    }
  }

  template <class Choose>
  std::vector<Index> labels(Choose choose) const {
    std::vector<Index> made(static_cast<std::size_t>(graph_.num_nodes()));
    for (std::size_t s = steps_.size(); s-- > 0;) {
      const EliminationStep& step = steps_[s];
      if (step.enters()) continue;
      const LabelTable& from = tables_[s];
      std::vector<double> logs;
      for (Index a = 0; a < labels_of(step.node); ++a) {
        made[static_cast<std::size_t>(step.node)] = a;
        logs.push_back(from.logs[place_of(from, made)]);
      }
      made[static_cast<std::size_t>(step.node)] = choose(std::move(logs));
    }
    return made;
  }

 private:
  Index labels_of(Index node) const { return graph_.num_labels[static_cast<std::size_t>(node)]; }
  // Entries between two labels of the node at this place.
  std::size_t stride(const LabelTable& table, Index place) const {
    std::size_t size = 1;
    for (std::size_t k = static_cast<std::size_t>(place) + 1; k < table.nodes.size(); ++k)
      size *= static_cast<std::size_t>(labels_of(table.nodes[k]));
    return size;
  }
  std::size_t place_of(const LabelTable& table, const std::vector<Index>& labels) const {
    std::size_t place = 0;
    for (const Index node : table.nodes)
      place = place * static_cast<std::size_t>(labels_of(node)) +
              static_cast<std::size_t>(labels[static_cast<std::size_t>(node)]);
    return place;
  }
  // The entry that entry i belongs to once the step's node is eliminated.
  std::size_t without(const LabelTable& table, const EliminationStep& step, std::size_t i) const {
    const std::size_t inner = stride(table, step.place),
                      k = static_cast<std::size_t>(labels_of(step.node));
    return i / (inner * k) * inner + i % inner;
  }

  LabelTable entered(const LabelTable& table, Index node) const {
    const auto k = static_cast<std::size_t>(labels_of(node));
    const auto first = static_cast<std::size_t>(graph_.first[static_cast<std::size_t>(node)]);
    LabelTable made{.nodes = table.nodes, .logs = std::vector<double>(table.logs.size() * k)};
    made.nodes.push_back(node);
    for (std::size_t i = 0; i < made.logs.size(); ++i)
      made.logs[i] = table.logs[i / k] + scores_.nodes[first + i % k];
    for (const FieldEdge* edge : earlier_[static_cast<std::size_t>(node)])
      for (std::size_t i = 0; i < made.logs.size(); ++i) {
        const auto [a, b] = labels_at(made, *edge, i);
        made.logs[i] += edge_score(*edge, scores_, a, b);
      }
    return made;
  }
  LabelTable eliminated(const LabelTable& table, const EliminationStep& step,
                        bool by_maximum) const {
    const auto k = static_cast<std::size_t>(labels_of(step.node));
    const std::size_t inner = stride(table, step.place);
    LabelTable made{.nodes = table.nodes, .logs = std::vector<double>(table.logs.size() / k)};
    made.nodes.erase(made.nodes.begin() + step.place);
    std::vector<double> terms(k);
    for (std::size_t i = 0; i < made.logs.size(); ++i) {
      for (std::size_t a = 0; a < k; ++a)
        terms[a] = table.logs[i / inner * inner * k + a * inner + i % inner];
      made.logs[i] =
          by_maximum ? *std::max_element(terms.begin(), terms.end()) : numerics::log_sum_exp(terms);
    }
    return made;
  }
  // The labels of both ends of an edge in entry i.
  std::pair<Index, Index> labels_at(const LabelTable& table, const FieldEdge& edge,
                                    std::size_t i) const {
    const auto label = [&](Index node) {
      const Index place = std::ranges::find(table.nodes, node) - table.nodes.begin();
      return static_cast<Index>(i / stride(table, place)) % labels_of(node);
    };
    return {label(edge.from), label(edge.to)};
  }
  void take_marginals(const LabelTable& table, Index node, const std::vector<double>& p,
                      FieldMoments& to) const {
    const auto k = static_cast<std::size_t>(labels_of(node));
    const auto first = static_cast<std::size_t>(graph_.first[static_cast<std::size_t>(node)]);
    for (std::size_t i = 0; i < p.size(); ++i) to.nodes[first + i % k] += p[i];
    for (const FieldEdge* edge : earlier_[static_cast<std::size_t>(node)]) {
      const auto type = static_cast<std::size_t>(edge->type);
      for (std::size_t i = 0; i < p.size(); ++i) {
        const auto [a, b] = labels_at(table, *edge, i);
        to.pairs[type][static_cast<std::size_t>(a * scores_.pairs[type].cols + b)] +=
            edge->weight * p[i];
      }
    }
  }

  const FieldGraph& graph_;
  const FieldScores& scores_;
  std::vector<EliminationStep> steps_;
  std::vector<std::vector<const FieldEdge*>> earlier_;  // edges of a node to earlier ones
  std::vector<LabelTable> tables_;                      // before the first step, and after each
};

class EliminationEngine final : public FieldEngine {
 public:
  bool is_exact() const override { return true; }
  FieldMoments moments(const FieldGraph& graph, const FieldScores& scores) const override {
    EliminationPass pass(graph, scores);
    FieldMoments made = FieldMoments::zero(graph, scores);
    made.log_z = pass.collect(false);
    pass.distribute(made);
    return made;
  }
  std::vector<Index> best(const FieldGraph& graph, const FieldScores& scores) const override {
    EliminationPass pass(graph, scores);
    pass.collect(true);
    return pass.labels([](const std::vector<double>& logs) { return place_of_largest(logs); });
  }
  std::vector<Index> draw(const FieldGraph& graph, const FieldScores& scores,
                          Rng& rng) const override {
    EliminationPass pass(graph, scores);
    pass.collect(false);
    return pass.labels(
        [&](std::vector<double> logs) { return draw_of_logs(std::move(logs), rng); });
  }
};
}  // namespace

double largest_elimination(const FieldGraph& graph) {
  double logs = 0.0, largest = 0.0;
  for (const EliminationStep& step : elimination_steps(graph)) {
    const double own =
        numerics::log(static_cast<double>(graph.num_labels[static_cast<std::size_t>(step.node)]));
    logs += step.enters() ? own : -own;
    largest = std::max(largest, logs);
  }
  constexpr double kMostLog = 690.0;  // log 1e300
  return largest > kMostLog ? kInfinity : std::round(numerics::exp(largest));
}

std::unique_ptr<FieldEngine> elimination_engine() { return std::make_unique<EliminationEngine>(); }

}  // namespace credo::models
