#include "models/network/network_learning.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/stop.hpp"

namespace credo::models {
namespace {
constexpr double kConverged = 1e-8;  // change of a probability; two digits beyond those printed
constexpr std::int64_t kMostEntries = std::int64_t{1}
                                      << 26;  // limit for one row's sums, as in results/estimates

using Counts = std::vector<std::vector<double>>;  // by node, in the shape of its table

double prior_count(const Network& network, std::int32_t v, const LearningOptions& options) {
  if (options.prior == TablePrior::uniform) return options.counts;
  return options.counts / (static_cast<double>(network.num_rows(v)) *
                           static_cast<double>(network.node(v).num_states()));
}

bool is_complete(std::span<const std::int32_t> row) {
  return std::ranges::all_of(row, [](std::int32_t state) { return state >= 0; });
}

std::size_t entry_of(const Network& network, std::int32_t v, std::span<const std::int32_t> states) {
  std::size_t entry = 0;
  for (const std::int32_t p : network.node(v).parents)
    entry = entry * network.node(p).states.size() +
            static_cast<std::size_t>(states[static_cast<std::size_t>(p)]);
  return entry * network.node(v).states.size() +
         static_cast<std::size_t>(states[static_cast<std::size_t>(v)]);
}

Counts empty_counts(const Network& network) {
  Counts counts;
  for (std::int32_t v = 0; v < network.size(); ++v)
    counts.emplace_back(
        static_cast<std::size_t>(network.num_rows(v) * network.node(v).num_states()), 0.0);
  return counts;
}

void add_row(const Network& network, std::span<const std::int32_t> row, double weight,
             Counts& counts) {
  for (std::int32_t v = 0; v < network.size(); ++v)
    counts[static_cast<std::size_t>(v)][entry_of(network, v, row)] += weight;
}

// Posterior means.
void set_tables(Network& network, const Counts& counts, const LearningOptions& options) {
  for (std::int32_t v = 0; v < network.size(); ++v) {
    const double prior = prior_count(network, v, options);
    const std::vector<double>& own = counts[static_cast<std::size_t>(v)];
    NetworkNode& node = network.nodes[static_cast<std::size_t>(v)];
    const std::size_t size = node.states.size();
    node.table.resize(own.size());
    for (std::size_t first = 0; first < own.size(); first += size) {
      double sum = 0.0;
      for (std::size_t k = 0; k < size; ++k) sum += own[first + k] + prior;
      for (std::size_t k = 0; k < size; ++k) node.table[first + k] = (own[first + k] + prior) / sum;
    }
  }
}

std::int64_t num_unseen_rows(const std::vector<double>& counts, std::size_t num_states) {
  std::int64_t unseen = 0;
  for (std::size_t first = 0; first < counts.size(); first += num_states)
    unseen += std::ranges::all_of(std::span(counts).subspan(first, num_states),
                                  [](double count) { return count == 0.0; });
  return unseen;
}

LearnedNode score_of(const Network& network, std::int32_t v, const Counts& counts,
                     const LearningOptions& options) {
  LearnedNode learned{.num_rows = network.num_rows(v)};
  const double prior = prior_count(network, v, options);
  const std::vector<double>& own = counts[static_cast<std::size_t>(v)];
  const std::size_t size = network.node(v).states.size();
  const double all = prior * static_cast<double>(size);
  learned.num_unseen = num_unseen_rows(own, size);
  for (std::size_t first = 0; first < own.size(); first += size) {
    double sum = 0.0, terms = 0.0;
    for (std::size_t k = 0; k < size; ++k) {
      sum += own[first + k];
      terms += std::lgamma(prior + own[first + k]) - std::lgamma(prior);
    }
    if (sum > 0.0) learned.log_evidence += std::lgamma(all) - std::lgamma(all + sum) + terms;
  }
  return learned;
}

// Equal rows are completed once.
std::map<std::vector<std::int32_t>, std::pair<double, Index>> incomplete_rows(
    const NetworkRows& rows) {
  std::map<std::vector<std::int32_t>, std::pair<double, Index>> distinct;  // count, first row
  for (std::size_t n = 0; n < rows.size(); ++n)
    if (!is_complete(rows[n]))
      distinct.try_emplace(rows[n], 0.0, static_cast<Index>(n)).first->second.first += 1.0;
  return distinct;
}

// All states of a node without any value have the same tables at the start, and expected counts keep them so.
void require_values(const Network& structure, const NetworkRows& rows) {
  for (std::int32_t v = 0; v < structure.size(); ++v) {
    const auto has_value = [v](const std::vector<std::int32_t>& row) {
      return row[static_cast<std::size_t>(v)] >= 0;
    };
    if (structure.node(v).num_states() < 2 || std::ranges::any_of(rows, has_value)) continue;
    throw Error(ErrorCode::data, fmt::format("{} has no value in any row", structure.node(v).name),
                structure.source, "expectation maximisation can't distinguish its states");
  }
}

// Adds the expected counts of a row's families given its seen states.
class RowCompletion {
 public:
  explicit RowCompletion(const Network& network)
      : network_(network), tables_(factors_of(network)) {}

  void add(const std::vector<std::int32_t>& row, double weight, Index number, Counts& counts) {
    const numerics::FactorTables seen = numerics::given(tables_, row);
    numerics::EliminationPlan plan = numerics::plan_of(seen);
    if (plan.num_entries > kMostEntries)
      throw Error(ErrorCode::program,
                  fmt::format("the expected counts of row {} need tables of {} entries", number + 1,
                              plan.num_entries),
                  network_.source, "leave out rows with missing cells");
    numerics::FactorProduct product(seen, std::move(plan));
    if (!(product.log_sum() > -kInfinity))
      throw Error(ErrorCode::data,
                  fmt::format("row {} has probability 0 in the network", number + 1),
                  network_.source, "a larger prior (--counts) makes all rows possible");
    for (std::int32_t v = 0; v < network_.size(); ++v)
      add_family(product, row, v, weight, counts[static_cast<std::size_t>(v)]);
  }

 private:
  void add_family(numerics::FactorProduct& product, const std::vector<std::int32_t>& row,
                  std::int32_t v, double weight, std::vector<double>& counts) const {
    numerics::Scope missing;
    for (const std::int32_t p : network_.node(v).parents)
      if (row[static_cast<std::size_t>(p)] < 0) missing.push_back(p);
    if (row[static_cast<std::size_t>(v)] < 0) missing.push_back(v);
    std::ranges::sort(missing);
    std::vector<std::int32_t> states = row;
    if (missing.empty()) {
      counts[entry_of(network_, v, states)] += weight;
      return;
    }
    const std::vector<double> joint = product.joint(missing);
    const numerics::EliminationPlan shape{.scopes = {}, .sizes = tables_.sizes, .steps = {}};
    std::size_t k = 0;
    numerics::for_each_assignment(shape, missing, states, [&] {
      counts[entry_of(network_, v, states)] += weight * joint[k++];
    });
  }

  const Network& network_;
  numerics::FactorTables tables_;
};

double largest_change(const Network& a, const Network& b) {
  double largest = 0.0;
  for (std::size_t v = 0; v < a.nodes.size(); ++v)
    for (std::size_t k = 0; k < a.nodes[v].table.size(); ++k)
      largest = std::max(largest, std::abs(a.nodes[v].table[k] - b.nodes[v].table[k]));
  return largest;
}

// Expectation: counts given the tables; maximisation: posterior means of these counts.
void complete(Learned& learned, const NetworkRows& rows, const Counts& complete_rows,
              const LearningOptions& options) {
  const auto distinct = incomplete_rows(rows);
  for (learned.num_rounds = 1;; ++learned.num_rounds) {
    Counts counts = complete_rows;
    RowCompletion completion(learned.network);
    for (const auto& [row, times] : distinct) {
      stop_if_asked();
      completion.add(row, times.first, times.second, counts);
    }
    Network next = learned.network;
    set_tables(next, counts, options);
    learned.last_change = largest_change(learned.network, next);
    learned.network.nodes = std::move(next.nodes);
    learned.has_converged = learned.last_change < kConverged;
    if (!learned.has_converged && learned.num_rounds < options.most_rounds) continue;
    for (std::size_t v = 0; v < learned.nodes.size(); ++v)
      learned.nodes[v].num_unseen =
          num_unseen_rows(counts[v], learned.network.nodes[v].states.size());
    return;
  }
}
}  // namespace

Learned learn_tables(const Network& structure, const NetworkRows& rows,
                     const LearningOptions& options) {
  Learned learned{.network = structure, .nodes = {}};
  learned.num_rows = ssize(rows);
  Counts counts = empty_counts(structure);
  for (const std::vector<std::int32_t>& row : rows) {
    if (is_complete(row))
      add_row(structure, row, 1.0, counts);
    else
      ++learned.num_incomplete;
  }
  if (learned.num_incomplete > 0) require_values(structure, rows);
  set_tables(learned.network, counts, options);
  for (std::int32_t v = 0; v < structure.size(); ++v)
    learned.nodes.push_back(score_of(structure, v, counts, options));
  if (learned.num_incomplete > 0) {
    for (LearnedNode& node : learned.nodes) node.log_evidence = kNaN;
    learned.log_evidence = kNaN;
    complete(learned, rows, counts, options);
    return learned;
  }
  for (const LearnedNode& node : learned.nodes) learned.log_evidence += node.log_evidence;
  return learned;
}

}  // namespace credo::models
