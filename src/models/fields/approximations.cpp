// Approximate marginals of fields with cycles: loopy belief propagation [murphy2023, sec. 9.4], and mean field
// [murphy2023, sec. 10.3], to convergence or by a fixed number of parallel steps.
#include "models/fields/field_draws.hpp"

namespace credo::models {
namespace {
constexpr Index kMostSweeps = 1000;
constexpr double kSettled = 1e-11;  // largest change of a probability in a sweep

double entropy_term(double p) { return p > 0.0 ? -p * numerics::log(p) : 0.0; }

// Messages in both directions along each edge, on the log scale, with the largest entry 0.
//
//   m_{i->j}(b) = log Σ_a exp(node_i(a) + Σ_{k ≠ j} m_{k->i}(a) + pair(a, b))
//   log Z ≈ Σ b_i node_i + Σ b_ij pair_ij + Σ_edges H(b_ij) + Σ_i (1 - degree_i) H(b_i)        (Bethe)
class LoopyPass {
 public:
  LoopyPass(const FieldGraph& graph, const FieldScores& scores)
      : graph_(graph), scores_(scores), edges_(static_cast<std::size_t>(graph.num_nodes())) {
    for (Index e = 0; e < ssize(graph.edges); ++e) {
      const FieldEdge& edge = graph.edges[static_cast<std::size_t>(e)];
      edges_[static_cast<std::size_t>(edge.from)].push_back(e);
      edges_[static_cast<std::size_t>(edge.to)].push_back(e);
      forward_.emplace_back(static_cast<std::size_t>(labels_of(edge.to)), 0.0);
      backward_.emplace_back(static_cast<std::size_t>(labels_of(edge.from)), 0.0);
    }
  }

  // Sweeps over the edges forwards and backwards. Messages are damped once plain ones haven't settled.
  bool settle() {
    constexpr Index kPlain = 50;
    for (Index sweep = 0; sweep < kMostSweeps; ++sweep) {
      const double damping = sweep < kPlain ? 0.0 : 0.5;
      double change = 0.0;
      for (Index e = 0; e < ssize(graph_.edges); ++e)
        change = std::max(change, send(e, true, damping));
      for (Index e = ssize(graph_.edges); e-- > 0;)
        change = std::max(change, send(e, false, damping));
      if (change <= kSettled) return true;
    }
    return false;
  }

  void take(FieldMoments& to) const {
    for (Index i = 0; i < graph_.num_nodes(); ++i) take_node(i, to);
    for (Index e = 0; e < ssize(graph_.edges); ++e) take_edge(e, to);
  }

 private:
  Index labels_of(Index node) const { return graph_.num_labels[static_cast<std::size_t>(node)]; }
  // Node score and all messages to a node but that of one edge.
  std::vector<double> gathered(Index node, Index without) const {
    const auto first = scores_.nodes.begin() + graph_.first[static_cast<std::size_t>(node)];
    std::vector<double> sums(first, first + labels_of(node));
    for (const Index e : edges_[static_cast<std::size_t>(node)]) {
      if (e == without) continue;
      const auto at = static_cast<std::size_t>(e);
      const std::vector<double>& message =
          graph_.edges[at].to == node ? forward_[at] : backward_[at];
      for (std::size_t a = 0; a < sums.size(); ++a) sums[a] += message[a];
    }
    return sums;
  }
  // Renews a message; returns the largest change of exp(message).
  double send(Index e, bool is_forward, double damping) {
    const auto at = static_cast<std::size_t>(e);
    const FieldEdge& edge = graph_.edges[at];
    const std::vector<double> from = gathered(is_forward ? edge.from : edge.to, e);
    std::vector<double>& message = is_forward ? forward_[at] : backward_[at];
    std::vector<double> made(message.size()), terms(from.size());
    for (std::size_t b = 0; b < made.size(); ++b) {
      for (std::size_t a = 0; a < from.size(); ++a) {
        const auto i = static_cast<Index>(a), j = static_cast<Index>(b);
        terms[a] = from[a] +
                   (is_forward ? edge_score(edge, scores_, i, j) : edge_score(edge, scores_, j, i));
      }
      made[b] = numerics::log_sum_exp(terms);
    }
    const double largest = *std::max_element(made.begin(), made.end());
    if (largest == -kInfinity) refuse_forbidden_field();
    double change = 0.0;
    for (std::size_t b = 0; b < made.size(); ++b) {
      const double before = probability_of(message[b], 0.0), now = probability_of(made[b], largest),
                   mixed = damping * before + (1.0 - damping) * now;
      change = std::max(change, std::abs(now - before));
      message[b] = damping == 0.0 ? made[b] - largest : numerics::log(mixed);
    }
    return change;
  }

  void take_node(Index i, FieldMoments& to) const {
    const auto node = static_cast<std::size_t>(i);
    const auto first = static_cast<std::size_t>(graph_.first[node]);
    const std::vector<double> logs = gathered(i, -1);
    const double sum = numerics::log_sum_exp(logs);
    const double count = 1.0 - static_cast<double>(edges_[node].size());
    for (std::size_t a = 0; a < logs.size(); ++a) {
      const double p = probability_of(logs[a], sum);
      to.nodes[first + a] = p;
      if (p > 0.0) to.log_z += p * scores_.nodes[first + a] + count * entropy_term(p);
    }
  }
  void take_edge(Index e, FieldMoments& to) const {
    const FieldEdge& edge = graph_.edges[static_cast<std::size_t>(e)];
    const std::vector<double> from = gathered(edge.from, e), into = gathered(edge.to, e);
    std::vector<double> logs, pairs;
    for (std::size_t a = 0; a < from.size(); ++a)
      for (std::size_t b = 0; b < into.size(); ++b) {
        pairs.push_back(edge_score(edge, scores_, static_cast<Index>(a), static_cast<Index>(b)));
        logs.push_back(from[a] + into[b] + pairs.back());
      }
    const double sum = numerics::log_sum_exp(logs);
    for (std::size_t k = 0; k < logs.size(); ++k) {
      const double p = probability_of(logs[k], sum);
      to.pairs[static_cast<std::size_t>(edge.type)][k] += edge.weight * p;
      if (p > 0.0) to.log_z += p * pairs[k] + entropy_term(p);
    }
  }

  const FieldGraph& graph_;
  const FieldScores& scores_;
  std::vector<std::vector<Index>> edges_;
  std::vector<std::vector<double>> forward_, backward_;
};

class LoopyEngine final : public FieldEngine {
 public:
  bool is_exact() const override { return false; }
  FieldMoments moments(const FieldGraph& graph, const FieldScores& scores) const override {
    FieldMoments made = FieldMoments::zero(graph, scores);
    LoopyPass pass(graph, scores);
    made.has_converged = pass.settle();
    pass.take(made);
    return made;
  }
  std::vector<Index> best(const FieldGraph& graph, const FieldScores& scores) const override {
    return likeliest_labels(graph, moments(graph, scores));
  }
};

// q_i(a) ∝ exp(node_i(a) + Σ_neighbours Σ_b q_j(b) pair(a, b)).
class MeanFieldPass {
 public:
  MeanFieldPass(const FieldGraph& graph, const FieldScores& scores)
      : graph_(graph), scores_(scores), edges_(static_cast<std::size_t>(graph.num_nodes())) {
    for (const PairTable& table : scores.pairs)
      CREDO_ASSERT(std::ranges::all_of(table.scores, [](double x) { return std::isfinite(x); }),
                   "a product of distributions has no forbidden pairs");
    for (Index e = 0; e < ssize(graph.edges); ++e) {
      const FieldEdge& edge = graph.edges[static_cast<std::size_t>(e)];
      edges_[static_cast<std::size_t>(edge.from)].push_back(e);
      edges_[static_cast<std::size_t>(edge.to)].push_back(e);
    }
  }

  std::vector<double> begin() const {
    std::vector<double> q(scores_.nodes.begin(), scores_.nodes.end());
    for (Index i = 0; i < graph_.num_nodes(); ++i) normalise(part(q, i));
    return q;
  }
  void normalise(std::span<double> logs) const {
    numerics::weights_of_largest(logs);
    double sum = 0.0;
    for (const double x : logs) sum += x;
    if (!(sum > 0.0)) refuse_forbidden_field();
    for (double& x : logs) x /= sum;
  }
  std::span<double> part(std::vector<double>& values, Index i) const {
    const auto node = static_cast<std::size_t>(i);
    return std::span(values).subspan(static_cast<std::size_t>(graph_.first[node]),
                                     static_cast<std::size_t>(graph_.num_labels[node]));
  }
  // `to` at node i += Σ over its edges of the pair scores, weighted by `from` at the neighbours.
  void add_field(std::span<double> to, Index i, std::vector<double>& from) const {
    for (const Index e : edges_[static_cast<std::size_t>(i)]) {
      const FieldEdge& edge = graph_.edges[static_cast<std::size_t>(e)];
      const bool is_from = edge.from == i;
      const std::span<const double> other = part(from, is_from ? edge.to : edge.from);
      for (std::size_t a = 0; a < to.size(); ++a)
        for (std::size_t b = 0; b < other.size(); ++b) {
          const auto j = static_cast<Index>(a), k = static_cast<Index>(b);
          to[a] += other[b] *
                   (is_from ? edge_score(edge, scores_, j, k) : edge_score(edge, scores_, k, j));
        }
    }
  }
  // All nodes at once.
  std::vector<double> parallel_step(std::vector<double>& q) const {
    std::vector<double> next(scores_.nodes.begin(), scores_.nodes.end());
    for (Index i = 0; i < graph_.num_nodes(); ++i) {
      const std::span<double> own = part(next, i);
      add_field(own, i, q);
      normalise(own);
    }
    return next;
  }
  // One node after the other: the lower bound never falls.
  double sweep(std::vector<double>& q) const {
    double change = 0.0;
    for (Index i = 0; i < graph_.num_nodes(); ++i) {
      const std::span<double> own = part(q, i);
      const std::vector<double> before(own.begin(), own.end());
      const auto first = scores_.nodes.begin() + graph_.first[static_cast<std::size_t>(i)];
      std::copy(first, first + ssize(own), own.begin());
      add_field(own, i, q);
      normalise(own);
      for (std::size_t a = 0; a < own.size(); ++a)
        change = std::max(change, std::abs(own[a] - before[a]));
    }
    return change;
  }
  // E_q[score] + H(q), with the expected pairs.
  void take(std::vector<double>& q, FieldMoments& to) const {
    for (std::size_t k = 0; k < q.size(); ++k)
      if (q[k] > 0.0) to.log_z += q[k] * scores_.nodes[k] + entropy_term(q[k]);
    for (const FieldEdge& edge : graph_.edges) {
      const std::span<const double> from = part(q, edge.from), into = part(q, edge.to);
      std::vector<double>& pairs = to.pairs[static_cast<std::size_t>(edge.type)];
      for (std::size_t a = 0; a < from.size(); ++a)
        for (std::size_t b = 0; b < into.size(); ++b) {
          const double p = from[a] * into[b];
          pairs[a * into.size() + b] += edge.weight * p;
          to.log_z += p * edge_score(edge, scores_, static_cast<Index>(a), static_cast<Index>(b));
        }
    }
    to.nodes = q;
  }
  // Σ of products of a slope at a node and the neighbour's probabilities, by pairs of labels: the derivative by pair scores.
  void add_pair_slopes(std::vector<double>& slope, std::vector<double>& q, FieldMoments& to) const {
    for (const FieldEdge& edge : graph_.edges) {
      const std::span<const double> d_from = part(slope, edge.from), d_to = part(slope, edge.to),
                                    q_from = part(q, edge.from), q_to = part(q, edge.to);
      std::vector<double>& pairs = to.pairs[static_cast<std::size_t>(edge.type)];
      for (std::size_t a = 0; a < d_from.size(); ++a)
        for (std::size_t b = 0; b < d_to.size(); ++b)
          pairs[a * d_to.size() + b] += edge.weight * (d_from[a] * q_to[b] + q_from[a] * d_to[b]);
    }
  }

 private:
  const FieldGraph& graph_;
  const FieldScores& scores_;
  std::vector<std::vector<Index>> edges_;
};

class MeanFieldEngine final : public FieldEngine {
 public:
  bool is_exact() const override { return false; }
  FieldMoments moments(const FieldGraph& graph, const FieldScores& scores) const override {
    FieldMoments made = FieldMoments::zero(graph, scores);
    const MeanFieldPass pass(graph, scores);
    std::vector<double> q = pass.begin();
    made.has_converged = false;
    for (Index sweep = 0; sweep < kMostSweeps && !made.has_converged; ++sweep)
      made.has_converged = pass.sweep(q) <= kSettled;
    pass.take(q, made);
    return made;
  }
  std::vector<Index> best(const FieldGraph& graph, const FieldScores& scores) const override {
    return likeliest_labels(graph, moments(graph, scores));
  }
};

class UnrolledEngine final : public FieldEngine {
 public:
  explicit UnrolledEngine(Index num_steps) : num_steps_(num_steps) {}
  bool is_exact() const override { return false; }
  // The normaliser isn't part of the model: log Z is 0.
  FieldMoments moments(const FieldGraph& graph, const FieldScores& scores) const override {
    FieldMoments made = FieldMoments::zero(graph, scores);
    std::vector<std::vector<double>> q = run(MeanFieldPass(graph, scores));
    MeanFieldPass(graph, scores).take(q.back(), made);
    made.log_z = 0.0;
    return made;
  }
  std::vector<Index> best(const FieldGraph& graph, const FieldScores& scores) const override {
    return likeliest_labels(graph, moments(graph, scores));
  }
  double log_probability(const FieldGraph& graph, const FieldScores& scores,
                         std::span<const Index> labels, FieldMoments* slope) const override {
    const MeanFieldPass pass(graph, scores);
    std::vector<std::vector<double>> q = run(pass);
    double log_p = 0.0;
    std::vector<double> by_logs(
        q.back().size());  // derivative by node score + field of the last step
    for (Index i = 0; i < graph.num_nodes(); ++i) {
      const std::span<double> own = pass.part(q.back(), i), to = pass.part(by_logs, i);
      const auto label = static_cast<std::size_t>(labels[static_cast<std::size_t>(i)]);
      log_p += numerics::log(own[label]);
      for (std::size_t a = 0; a < own.size(); ++a) to[a] = (a == label ? 1.0 : 0.0) - own[a];
    }
    if (slope != nullptr) back(pass, graph, q, by_logs, *slope = FieldMoments::zero(graph, scores));
    return log_p;
  }

 private:
  std::vector<std::vector<double>> run(const MeanFieldPass& pass) const {
    std::vector<std::vector<double>> q{pass.begin()};
    for (Index s = 0; s < num_steps_; ++s) q.push_back(pass.parallel_step(q.back()));
    return q;
  }
  // Through the steps, from the last to the first.
  void back(const MeanFieldPass& pass, const FieldGraph& graph, std::vector<std::vector<double>>& q,
            std::vector<double> by_logs, FieldMoments& to) const {
    for (std::size_t s = q.size(); s-- > 0;) {
      for (std::size_t k = 0; k < by_logs.size(); ++k) to.nodes[k] += by_logs[k];
      if (s == 0) break;
      pass.add_pair_slopes(by_logs, q[s - 1], to);
      std::vector<double> by_q(by_logs.size(), 0.0);
      for (Index i = 0; i < graph.num_nodes(); ++i) {
        const std::span<double> own = pass.part(by_q, i), p = pass.part(q[s - 1], i);
        pass.add_field(own, i, by_logs);
        double mean = 0.0;
        for (std::size_t a = 0; a < own.size(); ++a) mean += p[a] * own[a];
        for (std::size_t a = 0; a < own.size(); ++a) own[a] = p[a] * (own[a] - mean);
      }
      by_logs.swap(by_q);
    }
  }
  Index num_steps_;
};
}  // namespace

std::unique_ptr<FieldEngine> loopy_engine() { return std::make_unique<LoopyEngine>(); }
std::unique_ptr<FieldEngine> mean_field_engine() { return std::make_unique<MeanFieldEngine>(); }
std::unique_ptr<FieldEngine> unrolled_engine(Index num_steps) {
  return std::make_unique<UnrolledEngine>(num_steps);
}

}  // namespace credo::models
