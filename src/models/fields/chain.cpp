// Forward and backward sums over a chain, each step scaled to sum 1 [murphy2023, sec. 9.2]: a multiplication where the log scale
// needs an exponential.
//
//   alpha_t(k) = E_t(k) Σ_j alpha_{t-1}(j) P(j, k) / c_t,       E = exp(node - its largest), P = exp(pair - its largest)
//   beta_{t-1}(j) = Σ_k P(j, k) E_t(k) beta_t(k) / c_t
//   log Z = Σ_t log c_t + the largest ones
//
// A number that is nearly zero could underflow at the next step, and a labelling that later scores favour would be lost. A
// sequence where this could happen is summed on the log scale.
#include "models/fields/field_draws.hpp"

namespace credo::models {
namespace {
// Products of a number of at least kLeast and two factors exp(-kWidest) are at least 1e-240: no finite score underflows.
constexpr double kLeast = 1e-150, kWidest = 100.0;

bool is_plain_chain(const FieldGraph& graph) {
  const Index n = graph.num_nodes();
  if (ssize(graph.edges) != n - 1) return false;
  for (Index t = 0; t + 1 < n; ++t) {
    const FieldEdge& edge = graph.edges[static_cast<std::size_t>(t)];
    if (edge.from != t || edge.to != t + 1 || edge.type != 0 || edge.weight != 1.0) return false;
  }
  return true;
}

class ScaledChain {
 public:
  ScaledChain(const FieldGraph& graph, const FieldScores& scores)
      : table_(scores.pairs[0]),
        length_(static_cast<std::size_t>(graph.num_nodes())),
        k_(static_cast<std::size_t>(table_.rows)),
        exps_(scores.nodes.begin(), scores.nodes.end()),
        alpha_(exps_.size()),
        scale_(length_) {}

  // False: a number is so small that the log scale is needed.
  bool forward(double& log_z) {
    if (table_.range > kWidest || !take_exps(log_z)) return false;
    std::vector<double> sums(k_);
    for (std::size_t t = 0; t < length_; ++t) {
      double* const now = &alpha_[t * k_];
      const double* const e = &exps_[t * k_];
      if (t == 0) {
        std::copy_n(e, k_, now);
      } else {
        multiply(&alpha_[(t - 1) * k_], sums);
        for (std::size_t k = 0; k < k_; ++k) now[k] = e[k] * sums[k];
      }
      double sum = 0.0;
      for (std::size_t k = 0; k < k_; ++k) sum += now[k];
      if (!(sum > 0.0)) refuse_forbidden_field();
      scale_[t] = sum;
      for (std::size_t k = 0; k < k_; ++k) now[k] /= sum;
      if (has_tiny(now)) return false;
      log_z += numerics::log(sum) + (t > 0 ? table_.largest : 0.0);
    }
    return true;
  }

  bool backward(FieldMoments& to) const {
    std::vector<double> beta(k_, 1.0), next(k_), weighted(k_);
    for (std::size_t t = length_; t-- > 0;) {
      double* const marginal = &to.nodes[t * k_];
      for (std::size_t k = 0; k < k_; ++k) marginal[k] = alpha_[t * k_ + k] * beta[k];
      if (t == 0) break;
      for (std::size_t k = 0; k < k_; ++k) weighted[k] = exps_[t * k_ + k] * beta[k] / scale_[t];
      for (std::size_t j = 0; j < k_; ++j) {
        const double before = alpha_[(t - 1) * k_ + j];
        const double* const row = &table_.exps[j * k_];
        double* const pairs = &to.pairs[0][j * k_];
        double sum = 0.0;
        for (std::size_t k = 0; k < k_; ++k) {
          const double term = row[k] * weighted[k];
          sum += term;
          pairs[k] += before * term;
        }
        next[j] = sum;
      }
      beta.swap(next);
      if (has_tiny(beta.data())) return false;
    }
    return true;
  }

 private:
  bool take_exps(double& log_z) {
    for (std::size_t t = 0; t < length_; ++t) {
      double* const e = &exps_[t * k_];
      double largest = -kInfinity, least = kInfinity;
      for (std::size_t k = 0; k < k_; ++k) {
        largest = std::max(largest, e[k]);
        if (e[k] > -kInfinity) least = std::min(least, e[k]);
      }
      if (largest == -kInfinity) refuse_forbidden_field();
      if (!(largest - least <= kWidest)) return false;
      for (std::size_t k = 0; k < k_; ++k) e[k] -= largest;
      log_z += largest;
    }
    numerics::function(numerics::Unary::exp).array(exps_.data(), exps_.data(), exps_.size());
    return true;
  }
  void multiply(const double* before, std::vector<double>& sums) const {
    std::fill(sums.begin(), sums.end(), 0.0);
    for (std::size_t j = 0; j < k_; ++j) {
      const double* const row = &table_.exps[j * k_];
      for (std::size_t k = 0; k < k_; ++k) sums[k] += before[j] * row[k];
    }
  }
  bool has_tiny(const double* values) const {
    for (std::size_t k = 0; k < k_; ++k)
      if (values[k] != 0.0 && values[k] < kLeast) return true;
    return false;
  }

  const PairTable& table_;
  std::size_t length_, k_;
  std::vector<double> exps_, alpha_, scale_;
};

class ChainEngine final : public FieldEngine {
 public:
  bool is_exact() const override { return true; }
  FieldMoments moments(const FieldGraph& graph, const FieldScores& scores) const override {
    CREDO_ASSERT(is_plain_chain(graph), "a chain joins each node with the next");
    FieldMoments made = FieldMoments::zero(graph, scores);
    ScaledChain chain(graph, scores);
    if (chain.forward(made.log_z) && chain.backward(made)) return made;
    return forest_->moments(graph, scores);
  }
  std::vector<Index> best(const FieldGraph& graph, const FieldScores& scores) const override {
    return forest_->best(graph, scores);
  }
  std::vector<Index> draw(const FieldGraph& graph, const FieldScores& scores,
                          Rng& rng) const override {
    return forest_->draw(graph, scores, rng);
  }

 private:
  std::unique_ptr<FieldEngine> forest_ = forest_engine();
};

// A chain whose conditionals are normalised one by one. Labels before t don't depend on rows behind t: label bias.
class LocalEngine final : public FieldEngine {
 public:
  bool is_exact() const override { return true; }

  // log Z is 0: the product of conditionals is a distribution.
  FieldMoments moments(const FieldGraph& graph, const FieldScores& scores) const override {
    FieldMoments made = FieldMoments::zero(graph, scores);
    const std::vector<std::vector<double>> logs = conditionals(graph, scores);
    const auto k = static_cast<std::size_t>(graph.num_labels[0]);
    for (std::size_t t = 0; t < logs.size(); ++t)
      for (std::size_t a = 0; a < logs[t].size(); ++a) {
        const double before = t == 0 ? 1.0 : made.nodes[(t - 1) * k + a / k];
        const double both = before * numerics::exp(logs[t][a]);
        made.nodes[t * k + a % k] += both;
        if (t > 0) made.pairs[0][a] += both;
      }
    return made;
  }
  std::vector<Index> best(const FieldGraph& graph, const FieldScores& scores) const override {
    return path(graph, conditionals(graph, scores));
  }
  std::vector<Index> draw(const FieldGraph& graph, const FieldScores& scores,
                          Rng& rng) const override {
    const std::vector<std::vector<double>> logs = conditionals(graph, scores);
    const auto k = graph.num_labels[0];
    std::vector<Index> labels;
    for (std::size_t t = 0; t < logs.size(); ++t) {
      const auto row = logs[t].begin() + (t == 0 ? 0 : labels.back() * k);
      labels.push_back(draw_of_logs(std::vector<double>(row, row + k), rng));
    }
    return labels;
  }
  double log_probability(const FieldGraph& graph, const FieldScores& scores,
                         std::span<const Index> labels, FieldMoments* slope) const override {
    const std::vector<std::vector<double>> logs = conditionals(graph, scores);
    const auto k = static_cast<std::size_t>(graph.num_labels[0]);
    if (slope != nullptr) *slope = FieldMoments::zero(graph, scores);
    double log_p = 0.0;
    for (std::size_t t = 0; t < logs.size(); ++t) {
      const std::size_t row = t == 0 ? 0 : static_cast<std::size_t>(labels[t - 1]) * k;
      const auto label = static_cast<std::size_t>(labels[t]);
      log_p += logs[t][row + label];
      if (slope == nullptr) continue;
      for (std::size_t a = 0; a < k; ++a) {
        const double residual = (a == label ? 1.0 : 0.0) - numerics::exp(logs[t][row + a]);
        slope->nodes[t * k + a] += residual;
        if (t > 0) slope->pairs[0][row + a] += residual;
      }
    }
    return log_p;
  }

 private:
  // Logs of p(y_t = b | y_{t-1} = a, x) by rows a; one row at the first place. Rows without any label that is allowed are -infinity.
  static std::vector<std::vector<double>> conditionals(const FieldGraph& graph,
                                                       const FieldScores& scores) {
    CREDO_ASSERT(is_plain_chain(graph), "a chain joins each node with the next");
    const auto k = static_cast<std::size_t>(graph.num_labels[0]);
    std::vector<std::vector<double>> made;
    for (std::size_t t = 0; t < static_cast<std::size_t>(graph.num_nodes()); ++t) {
      std::vector<double> logs;
      for (std::size_t a = 0; a < (t == 0 ? 1 : k); ++a) {
        std::vector<double> row(k);
        for (std::size_t b = 0; b < k; ++b)
          row[b] = scores.nodes[t * k + b] + (t == 0 ? 0.0 : scores.pairs[0].scores[a * k + b]);
        const double sum = numerics::log_sum_exp(row);
        if (sum == -kInfinity) refuse_dead_end(t, a);
        for (double& x : row) x -= sum;
        logs.insert(logs.end(), row.begin(), row.end());
      }
      made.push_back(std::move(logs));
    }
    return made;
  }
  [[noreturn]] static void refuse_dead_end(std::size_t t, std::size_t a) {
    throw Error(ErrorCode::evaluation,
                "no label may follow label " + std::to_string(a + 1) + " at place " +
                    std::to_string(t + 1) + " of a sequence",
                "", "a locally normalised chain needs a label behind each one: --structure chain");
  }
  static std::vector<Index> path(const FieldGraph& graph,
                                 const std::vector<std::vector<double>>& logs) {
    const auto k = static_cast<std::size_t>(graph.num_labels[0]);
    std::vector<double> best = logs[0];
    std::vector<std::vector<Index>> from;
    for (std::size_t t = 1; t < logs.size(); ++t) {
      std::vector<double> next(k, -kInfinity);
      std::vector<Index> places(k, 0);
      for (std::size_t a = 0; a < k; ++a)
        for (std::size_t b = 0; b < k; ++b)
          if (const double sum = best[a] + logs[t][a * k + b]; sum > next[b])
            next[b] = sum, places[b] = static_cast<Index>(a);
      best.swap(next);
      from.push_back(std::move(places));
    }
    std::vector<Index> labels{place_of_largest(best)};
    for (std::size_t t = from.size(); t-- > 0;)
      labels.push_back(from[t][static_cast<std::size_t>(labels.back())]);
    std::ranges::reverse(labels);
    return labels;
  }
};
}  // namespace

std::unique_ptr<FieldEngine> chain_engine() { return std::make_unique<ChainEngine>(); }
std::unique_ptr<FieldEngine> local_engine() { return std::make_unique<LocalEngine>(); }

}  // namespace credo::models
