#include "models/network/network.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "base/error.hpp"
#include "base/nearest_name.hpp"
#include "numerics/elementary.hpp"

namespace credo::models {
namespace {
std::size_t at(std::int32_t v) { return static_cast<std::size_t>(v); }

[[noreturn]] void refuse(const Network& network, std::string message, std::string hint = {}) {
  throw Error(ErrorCode::data, std::move(message), network.source, std::move(hint));
}

void require_names(const Network& network) {
  std::set<std::string> names;
  if (network.nodes.empty())
    refuse(network, "the network has no nodes", "a .bif file has 'variable NAME { ... }'");
  for (const NetworkNode& node : network.nodes) {
    if (!names.insert(node.name).second)
      refuse(network, fmt::format("two nodes are called {}", node.name));
    if (node.states.empty()) refuse(network, fmt::format("{} has no states", node.name));
    std::set<std::string> states;
    for (const std::string& state : node.states)
      if (!states.insert(state).second)
        refuse(network, fmt::format("{} has two states called {}", node.name, state));
  }
}

void require_parents(const Network& network) {
  for (std::int32_t v = 0; v < network.size(); ++v) {
    std::set<std::int32_t> parents;
    for (const std::int32_t p : network.node(v).parents) {
      if (p == v) refuse(network, fmt::format("{} is its own parent", network.node(v).name));
      if (!parents.insert(p).second)
        refuse(network, fmt::format("{} is named twice as a parent of {}", network.node(p).name,
                                    network.node(v).name));
    }
  }
}

// Entries of a table, or of a factor.
void require_entry(const Network& network, double p, const std::string& of) {
  if (p >= 0.0 && p < kInfinity) return;
  refuse(network, fmt::format("{} has the entry {}", of, p), "entries are at least 0 and finite");
}

std::string sum_fault(const Network& network, std::int32_t node, std::int64_t row, double sum) {
  return fmt::format("probabilities of {} sum to {}", row_words(network, node, row), sum);
}

class RowSums {
 public:
  RowSums(Network& network, const NetworkRules& rules) : network_(network), rules_(rules) {}

  void divide(std::int32_t v) {
    std::vector<double>& table = network_.nodes[at(v)].table;
    const std::size_t size = network_.node(v).states.size();
    for (std::size_t first = 0; first < table.size(); first += size) {
      const std::span row = std::span(table).subspan(first, size);
      const auto place = static_cast<std::int64_t>(first / size);
      for (const double p : row) require_entry(network_, p, row_words(network_, v, place));
      divide_row(v, place, row);
    }
  }
  void note(std::vector<std::string>& notes) const {
    if (num_divided_ > 0)
      notes.push_back(
          fmt::format("{} rows of tables don't sum to 1 exactly and were divided by their sums; "
                      "the largest difference is {:.2g}",
                      num_divided_, largest_));
  }

 private:
  void divide_row(std::int32_t v, std::int64_t place, std::span<double> row) {
    constexpr double kPublished = 1e-6;  // tables with seven digits, such as 0.3333333 three times
    constexpr double kRounding = 1e-14;  // rounding of the sum itself
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    if (!(sum > 0.0))
      refuse(network_, sum_fault(network_, v, place, sum), "one of the states must be possible");
    const double difference = std::abs(sum - 1.0);
    if (difference > kPublished && !rules_.normalise)
      refuse(network_, sum_fault(network_, v, place, sum),
             "correct the row, or divide rows by their sums: --normalise");
    if (difference <= kRounding) return;
    ++num_divided_, largest_ = std::max(largest_, difference);
    for (double& p : row) p /= sum;
  }

  Network& network_;
  const NetworkRules& rules_;
  Index num_divided_ = 0;
  double largest_ = 0.0;
};

void require_table(const Network& network, std::int32_t v, const NetworkRules& rules) {
  const NetworkNode& node = network.node(v);
  if (node.table.empty() && !rules.needs_tables) return;
  if (node.table.empty())
    refuse(network, fmt::format("{} has no table", node.name),
           fmt::format("add 'probability ({}{}{}) {{ ... }}', or learn the tables from rows: credo "
                       "network FILE --data rows.csv",
                       node.name, node.parents.empty() ? "" : " | ",
                       node.parents.empty() ? "" : "parents"));
  const std::int64_t expected = network.num_rows(v) * node.num_states();
  if (ssize(node.table) != expected)
    refuse(network,
           fmt::format("the table of {} has {} entries, must have {}: {} states in each of {} "
                       "configurations of its parents",
                       node.name, node.table.size(), expected, node.states.size(),
                       network.num_rows(v)));
}

void require_factors(const Network& network) {
  for (std::size_t f = 0; f < network.factors.size(); ++f) {
    const NetworkFactor& factor = network.factors[f];
    std::int64_t size = 1;
    std::set<std::int32_t> nodes;
    for (const std::int32_t v : factor.nodes) {
      size *= network.node(v).num_states();
      if (!nodes.insert(v).second)
        refuse(network, fmt::format("factor {} names {} twice", f + 1, network.node(v).name));
    }
    if (ssize(factor.values) != size)
      refuse(network, fmt::format("factor {} has {} values, must have {}", f + 1,
                                  factor.values.size(), size));
    for (const double value : factor.values)
      require_entry(network, value, fmt::format("factor {}", f + 1));
  }
}

// Adds the table of `values` over `nodes`, the last one fastest, with its nodes ascending.
void add_factor(numerics::FactorTables& all, std::span<const std::int32_t> nodes,
                std::span<const double> values) {
  numerics::Scope scope(nodes.begin(), nodes.end());
  std::ranges::sort(scope);
  if (scope.empty()) {
    all.constant += numerics::log(values[0]);
    return;
  }
  const numerics::EliminationPlan shape{.scopes = {}, .sizes = all.sizes, .steps = {}};
  std::vector<double> table(values.size());
  std::vector<std::int32_t> states(all.sizes.size(), 0);
  for (const double value : values) {
    table[static_cast<std::size_t>(shape.place(scope, states))] =
        value > 0.0 ? numerics::log(value) : -kInfinity;
    for (std::size_t d = nodes.size(); d-- > 0;) {  // the next configuration
      if (++states[at(nodes[d])] < all.sizes[at(nodes[d])]) break;
      states[at(nodes[d])] = 0;
    }
  }
  all.scopes.push_back(std::move(scope));
  all.tables.push_back(std::move(table));
}

// Names along a cycle through nodes that wait for a parent.
std::string cycle_words(const Network& network, const std::vector<char>& is_done) {
  std::int32_t v = 0;
  while (is_done[at(v)] != 0) ++v;
  std::vector<std::int32_t> path;
  while (std::ranges::find(path, v) == path.end()) {
    path.push_back(v);
    for (const std::int32_t p : network.node(v).parents)
      if (is_done[at(p)] == 0) {
        v = p;
        break;
      }
  }
  path.erase(path.begin(), std::ranges::find(path, v));
  std::ranges::reverse(path);
  std::vector<std::string> names;
  for (const std::int32_t p : path) names.push_back(network.node(p).name);
  names.push_back(names.front());
  return fmt::format("{}", fmt::join(names, " -> "));
}
}  // namespace

std::vector<std::string> Network::names() const {
  std::vector<std::string> all;
  for (const NetworkNode& node : nodes) all.push_back(node.name);
  return all;
}

std::int32_t Network::find(const std::string& wanted, const std::string& where) const {
  for (std::int32_t v = 0; v < size(); ++v)
    if (node(v).name == wanted) return v;
  const std::string near = did_you_mean(wanted, names());
  throw Error(ErrorCode::usage, fmt::format("the network has no node '{}'", wanted), where,
              near.empty() ? "credo network FILE lists the nodes" : near);
}

std::int32_t Network::find_state(std::int32_t v, const std::string& state,
                                 const std::string& where) const {
  const std::vector<std::string>& states = node(v).states;
  const auto found = std::ranges::find(states, state);
  if (found != states.end()) return static_cast<std::int32_t>(found - states.begin());
  throw Error(ErrorCode::usage, fmt::format("{} has no state '{}'", node(v).name, state), where,
              fmt::format("its states are {}", fmt::join(states, ", ")));
}

std::int64_t Network::num_rows(std::int32_t v) const {
  constexpr std::int64_t kMostRows = std::int64_t{1} << 31;
  std::int64_t rows = 1;
  for (const std::int32_t p : node(v).parents) {
    rows *= node(p).num_states();
    if (rows > kMostRows)
      throw Error(ErrorCode::data,
                  fmt::format("the parents of {} have more than 2^31 configurations", node(v).name),
                  source, "leave out some of them");
  }
  return rows;
}

std::string row_words(const Network& network, std::int32_t v, std::int64_t row) {
  const NetworkNode& node = network.node(v);
  std::vector<std::string> words(node.parents.size());
  for (std::size_t d = node.parents.size(); d-- > 0;) {
    const NetworkNode& parent = network.node(node.parents[d]);
    words[d] = fmt::format("{} = {}", parent.name,
                           parent.states[static_cast<std::size_t>(row % parent.num_states())]);
    row /= parent.num_states();
  }
  return words.empty() ? node.name : fmt::format("{} given {}", node.name, fmt::join(words, ", "));
}

void require_sound(Network& network, const NetworkRules& rules, std::vector<std::string>& notes) {
  require_names(network);
  require_parents(network);
  if (!network.is_directed) return require_factors(network);
  sampling_order(network);
  RowSums sums(network, rules);
  for (std::int32_t v = 0; v < network.size(); ++v) {
    require_table(network, v, rules);
    sums.divide(v);
  }
  sums.note(notes);
}

std::vector<std::int32_t> sampling_order(const Network& network) {
  if (!network.is_directed)
    refuse(network, "an undirected model has no sampling order",
           "credo exact FILE --number N draws from it");
  const std::size_t n = network.nodes.size();
  std::vector<std::size_t> waits(n);
  std::vector<std::vector<std::int32_t>> children(n);
  std::set<std::int32_t> ready;
  for (std::int32_t v = 0; v < network.size(); ++v) {
    waits[at(v)] = network.node(v).parents.size();
    if (waits[at(v)] == 0) ready.insert(v);
    for (const std::int32_t p : network.node(v).parents) children[at(p)].push_back(v);
  }
  std::vector<std::int32_t> order;
  std::vector<char> is_done(n, 0);
  while (!ready.empty()) {
    const std::int32_t v = *ready.begin();
    ready.erase(ready.begin());
    order.push_back(v);
    is_done[at(v)] = 1;
    for (const std::int32_t child : children[at(v)])
      if (--waits[at(child)] == 0) ready.insert(child);
  }
  if (order.size() == n) return order;
  refuse(network, "the parents form a cycle: " + cycle_words(network, is_done),
         "the graph of a network is acyclic: turn or remove one of these arrows");
}

numerics::FactorTables factors_of(const Network& network) {
  numerics::FactorTables all;
  for (const NetworkNode& node : network.nodes) all.sizes.push_back(node.num_states());
  for (const NetworkFactor& factor : network.factors) add_factor(all, factor.nodes, factor.values);
  for (std::int32_t v = 0; network.is_directed && v < network.size(); ++v) {
    std::vector<std::int32_t> nodes = network.node(v).parents;
    nodes.push_back(v);
    add_factor(all, nodes, network.node(v).table);
  }
  return all;
}

bool has_impossible_states(const Network& network) {
  const auto has_zero = [](const std::vector<double>& values) {
    return std::ranges::find(values, 0.0) != values.end();
  };
  return std::ranges::any_of(network.nodes, has_zero, &NetworkNode::table) ||
         std::ranges::any_of(network.factors, has_zero, &NetworkFactor::values);
}

NetworkPart with_ancestors(const Network& network, std::span<const std::int32_t> nodes) {
  std::vector<char> is_in(network.nodes.size(), network.is_directed ? 0 : 1);
  std::vector<std::int32_t> stack(nodes.begin(), nodes.end());
  while (!stack.empty()) {
    const std::int32_t v = stack.back();
    stack.pop_back();
    if (std::exchange(is_in[at(v)], 1) != 0) continue;
    for (const std::int32_t p : network.node(v).parents) stack.push_back(p);
  }
  NetworkPart part{.network = {.name = network.name, .source = network.source, .nodes = {}},
                   .places = {}};
  part.network.is_directed = network.is_directed;
  part.network.factors = network.factors;
  std::vector<std::int32_t> place(network.nodes.size(), -1);
  for (std::int32_t v = 0; v < network.size(); ++v)
    if (is_in[at(v)] != 0) {
      place[at(v)] = static_cast<std::int32_t>(part.places.size());
      part.places.push_back(v);
      part.network.nodes.push_back(network.node(v));
    }
  for (NetworkNode& node : part.network.nodes)
    for (std::int32_t& p : node.parents) p = place[at(p)];
  return part;
}

}  // namespace credo::models
