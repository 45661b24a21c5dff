#include "models/cluster/partition_summary.hpp"

namespace credo::models {
namespace {
constexpr Index kMostCandidates = 200;

Index num_labels(const Labels& labels) { return labels.empty() ? 0 : std::ranges::max(labels) + 1; }
double n_log_n(Index n) {
  const auto x = static_cast<double>(n);
  return n > 1 ? x * std::log(x) : 0.0;
}

// Counts of a partition beside each draw; N times the variation of information is
// sum f(n_a) + sum f(n_b) - 2 sum f(n_ab), f(n) = n log n.
class Comparison {
 public:
  Comparison(Labels partition, std::span<const Labels> draws)
      : labels_(std::move(partition)), draws_(draws) {
    most_ = num_labels(labels_) + 1;  // a label is free for a new cluster
    sizes_.assign(static_cast<std::size_t>(most_), 0);
    for (const Index label : labels_) ++sizes_[static_cast<std::size_t>(label)];
    for (const Labels& draw : draws) {
      joint_.emplace_back(static_cast<std::size_t>(num_labels(draw) * most_), 0);
      for (std::size_t i = 0; i < labels_.size(); ++i) ++at(ssize(joint_) - 1, draw[i], labels_[i]);
    }
  }

  // Moves each point in turn to where the expectation is least. False if no point moved.
  bool sweep() {
    bool has_moved = false;
    for (std::size_t i = 0; i < labels_.size(); ++i) has_moved = move(i) || has_moved;
    return has_moved;
  }
  const Labels& labels() const { return labels_; }

 private:
  Index& at(Index draw, Index drawn, Index label) {
    return joint_[static_cast<std::size_t>(draw)][static_cast<std::size_t>(drawn * most_ + label)];
  }
  bool move(std::size_t i) {
    const Index from = labels_[i];
    put(i, from, -1);
    Index best = from;
    double least = change(i, from);
    bool has_empty = sizes_[static_cast<std::size_t>(from)] == 0;
    for (Index to = 0; to < most_; ++to) {
      const bool is_empty = sizes_[static_cast<std::size_t>(to)] == 0;
      if (to == from || (is_empty && has_empty)) continue;
      has_empty = has_empty || is_empty;
      const double value = change(i, to);
      if (value < least - 1e-9) least = value, best = to;
    }
    labels_[i] = best;
    put(i, best, 1);
    return best != from;
  }
  void put(std::size_t i, Index label, Index sign) {
    sizes_[static_cast<std::size_t>(label)] += sign;
    for (Index s = 0; s < ssize(draws_); ++s)
      at(s, draws_[static_cast<std::size_t>(s)][i], label) += sign;
  }
  // Change of N times the sum of the variations when the point enters the cluster.
  double change(std::size_t i, Index label) {
    const Index size = sizes_[static_cast<std::size_t>(label)];
    double sum = static_cast<double>(draws_.size()) * (n_log_n(size + 1) - n_log_n(size));
    for (Index s = 0; s < ssize(draws_); ++s) {
      const Index both = at(s, draws_[static_cast<std::size_t>(s)][i], label);
      sum -= 2.0 * (n_log_n(both + 1) - n_log_n(both));
    }
    return sum;
  }

  Labels labels_;
  std::span<const Labels> draws_;
  Index most_ = 0;
  std::vector<Index> sizes_;
  std::vector<std::vector<Index>> joint_;
};

// Labels numbered by the sizes of their clusters, the largest first; equal sizes by their first member.
Labels by_size(const Labels& labels) {
  std::vector<Index> sizes(static_cast<std::size_t>(num_labels(labels)), 0), order;
  for (const Index label : labels)
    if (sizes[static_cast<std::size_t>(label)]++ == 0) order.push_back(label);
  std::ranges::stable_sort(order, std::greater<>(),
                           [&](Index label) { return sizes[static_cast<std::size_t>(label)]; });
  Labels numbered;
  for (const Index label : labels)
    numbered.push_back(std::ranges::find(order, label) - order.begin());
  return numbered;
}

// Assignment of rows to columns of a square matrix with the least sum of costs, by shortest augmenting paths [kuhn1955].
std::vector<Index> assignment(const std::vector<std::vector<double>>& cost) {
  const std::size_t n = cost.size();
  std::vector<double> u(n + 1, 0.0), v(n + 1, 0.0);
  std::vector<std::size_t> row_of(n + 1, 0), way(n + 1, 0);
  for (std::size_t i = 1; i <= n; ++i) {
    row_of[0] = i;
    std::size_t column = 0;
    std::vector<double> least(n + 1, kInfinity);
    std::vector<bool> is_used(n + 1, false);
    do {
      is_used[column] = true;
      const std::size_t row = row_of[column];
      double delta = kInfinity;
      std::size_t next = 0;
      for (std::size_t j = 1; j <= n; ++j) {
        if (is_used[j]) continue;
        const double reduced = cost[row - 1][j - 1] - u[row] - v[j];
        if (reduced < least[j]) least[j] = reduced, way[j] = column;
        if (least[j] < delta) delta = least[j], next = j;
      }
      for (std::size_t j = 0; j <= n; ++j)
        if (is_used[j])
          u[row_of[j]] += delta, v[j] -= delta;
        else
          least[j] -= delta;
      column = next;
    } while (row_of[column] != 0);
    while (column != 0) {
      row_of[column] = row_of[way[column]];
      column = way[column];
    }
  }
  std::vector<Index> column_of(n);
  for (std::size_t j = 1; j <= n; ++j) column_of[row_of[j] - 1] = static_cast<Index>(j) - 1;
  return column_of;
}
}  // namespace

double variation_of_information(const Labels& a, const Labels& b) {
  std::map<std::pair<Index, Index>, Index> joint;
  std::map<Index, Index> of_a, of_b;
  for (std::size_t i = 0; i < a.size(); ++i) ++joint[{a[i], b[i]}], ++of_a[a[i]], ++of_b[b[i]];
  double sum = 0.0;
  for (const auto& [label, n] : of_a) sum += n_log_n(n);
  for (const auto& [label, n] : of_b) sum += n_log_n(n);
  for (const auto& [labels, n] : joint) sum -= 2.0 * n_log_n(n);
  return std::max(0.0, sum / static_cast<double>(a.size()));
}

double expected_variation(const Labels& partition, std::span<const Labels> draws) {
  double sum = 0.0;
  for (const Labels& draw : draws) sum += variation_of_information(partition, draw);
  return sum / static_cast<double>(draws.size());
}

Labels best_partition(std::span<const Labels> draws) {
  const Index count = std::min(ssize(draws), kMostCandidates);
  Labels best;
  double least = kInfinity;
  for (Index k = 0; k < count; ++k) {
    const Labels& candidate = draws[static_cast<std::size_t>(k * ssize(draws) / count)];
    const double value = expected_variation(candidate, draws);
    if (value < least) least = value, best = candidate;
  }
  for (bool has_moved = true; has_moved;) {
    Comparison comparison(by_size(best), draws);
    has_moved = comparison.sweep();
    best = comparison.labels();
  }
  return by_size(best);
}

std::vector<double> co_clustering(std::span<const Labels> draws, Index num_points) {
  const auto n = static_cast<std::size_t>(num_points);
  std::vector<double> shares(n * n, 0.0);
  for (const Labels& draw : draws)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        if (draw[i] == draw[j]) shares[i * n + j] += 1.0 / static_cast<double>(draws.size());
  return shares;
}

Labels matched_labels(const Labels& labels, const Labels& reference) {
  const Index own = num_labels(labels), other = num_labels(reference);
  const auto size = static_cast<std::size_t>(std::max(own, other));
  std::vector<std::vector<double>> cost(size, std::vector<double>(size, 0.0));
  for (std::size_t i = 0; i < labels.size(); ++i)
    cost[static_cast<std::size_t>(labels[i])][static_cast<std::size_t>(reference[i])] -= 1.0;
  Labels matched;
  const std::vector<Index> columns = assignment(cost);
  for (std::size_t label = 0; label < static_cast<std::size_t>(own); ++label) {
    const Index to = columns[label];
    matched.push_back(to < other && cost[label][static_cast<std::size_t>(to)] < 0.0 ? to : -1);
  }
  return matched;
}

}  // namespace credo::models
