// Log-linear fields over the labels of a sequence, tree, grid or any other graph: scores, and the answers that engines give.
//
//   p(y | x) = exp(Σ_i node_i(y_i) + Σ_e weight_e pair_{type e}(y_from, y_to)) / Z(x)      [murphy2023, sec. 19.2]
//
// Labels are numbers from 0. Scores of -infinity forbid a label or a pair.
#pragma once
#include "base/rng.hpp"
#include "base/types.hpp"

namespace credo::models {

// Two nodes that interact: score(a, b) = weight * pairs[type](a, b) for label a of `from` and b of `to`.
struct FieldEdge {
  Index from = 0, to = 0, type = 0;
  double weight = 1.0;
};

// The nodes of one sequence. Scores of a node's labels stand together, node after node.
struct FieldGraph {
  std::vector<Index> num_labels = {};  // by node
  std::vector<Index> first = {};       // place of its scores; one more: the end
  std::vector<FieldEdge> edges = {};   // no edge joins a node with itself

  void add_node(Index labels);
  Index num_nodes() const { return ssize(num_labels); }
  Index num_scores() const { return first.empty() ? 0 : first.back(); }
};

// Scores of pairs of labels, by rows: the label of `from`, then that of `to`.
struct PairTable {
  Index rows = 0, cols = 0;
  std::vector<double> scores = {};
  // Made by prepare(): exp(score - largest), and the range of the finite scores.
  std::vector<double> exps = {};
  double largest = 0.0, range = 0.0;

  void prepare();
  double at(Index a, Index b) const { return scores[static_cast<std::size_t>(a * cols + b)]; }
};

struct FieldScores {
  std::span<const double> nodes;  // FieldGraph::num_scores()
  std::span<const PairTable> pairs;
};

// Score of a pair of labels at an edge.
inline double edge_score(const FieldEdge& edge, const FieldScores& scores, Index a, Index b) {
  return edge.weight * scores.pairs[static_cast<std::size_t>(edge.type)].at(a, b);
}

// Log of the normaliser with its derivatives: probabilities of labels, and for each type of pair Σ_e weight_e P(a, b at e).
struct FieldMoments {
  double log_z = 0.0;
  std::vector<double> nodes = {};
  std::vector<std::vector<double>> pairs = {};
  bool has_converged = true;  // false: an approximation stopped at its limit of iterations

  static FieldMoments zero(const FieldGraph& graph, const FieldScores& scores);
};

// A way to compute with fields. Engines hold no state: several threads may use one.
class FieldEngine {
 public:
  virtual ~FieldEngine() = default;
  virtual bool is_exact() const = 0;
  // Throws Error(evaluation) if all labellings are forbidden.
  virtual FieldMoments moments(const FieldGraph& graph, const FieldScores& scores) const = 0;
  // Labels with the largest score, or those that an approximation finds.
  virtual std::vector<Index> best(const FieldGraph& graph, const FieldScores& scores) const = 0;
  // More of the best labels in words, such as a tree; empty without more.
  virtual std::string words_of_best(const FieldGraph& /*graph*/,
                                    const FieldScores& /*scores*/) const {
    return {};
  }
  // A draw of p(y | x). Approximations throw Error(usage).
  virtual std::vector<Index> draw(const FieldGraph& graph, const FieldScores& scores,
                                  Rng& rng) const;
  // log p(labels | x), and with `slope` its derivatives by the scores.
  virtual double log_probability(const FieldGraph& graph, const FieldScores& scores,
                                 std::span<const Index> labels, FieldMoments* slope) const;
};

// Σ of the scores of these labels.
double score_of(const FieldGraph& graph, const FieldScores& scores, std::span<const Index> labels);

// Exact engines.
std::unique_ptr<FieldEngine> forest_engine();  // graphs without cycles, O(nodes K²)
std::unique_ptr<FieldEngine>
chain_engine();  // edges t-1 -> t of one type; scaled, not on the log scale
std::unique_ptr<FieldEngine> elimination_engine();  // any graph, nodes eliminated in their order
// p(y | x) = Π_t softmax(node_t + pair(y_{t-1}, .)): a maximum entropy Markov model over a chain [mccallum2000].
std::unique_ptr<FieldEngine> local_engine();
// Approximations. Best labels are those with the largest marginals.
std::unique_ptr<FieldEngine> loopy_engine();       // belief propagation; log Z by Bethe
std::unique_ptr<FieldEngine> mean_field_engine();  // log Z is a lower bound
// Marginals after so many parallel mean-field steps; log p(y | x) = Σ_i log q_i(y_i) and its exact derivative [zheng2015].
std::unique_ptr<FieldEngine> unrolled_engine(Index num_steps);

bool is_forest(const FieldGraph& graph);
// Labellings in the largest table of elimination_engine(), infinity beyond 1e300.
double largest_elimination(const FieldGraph& graph);

}  // namespace credo::models
