// Discrete networks: nodes with named states, and either a table of conditional probabilities for each node given its parents (a directed
// model [lauritzen1988, koller2009 ch. 3]), or factors over sets of nodes without local sums (an undirected model [koller2009 ch. 4]).
//
//   p(x) = Π_v p(x_v | parents of v)      directed
//   p(x) = Π_f ψ_f(x_f) / Z               undirected
//
//   const Network network = read_network("asia.bif", text, notes);      // models/network/network_formats.hpp
//   const numerics::FactorTables tables = factors_of(network);          // for elimination and enumeration
#pragma once
#include "numerics/factor_product.hpp"

namespace credo::models {

struct NetworkNode {
  std::string name;
  std::vector<std::string> states;
  std::vector<std::int32_t> parents = {};  // places of nodes, in the order of the table
  // Probabilities: a row for each configuration of the parents, the last parent fastest; within a row one for each state. Empty in an
  // undirected model, and in a structure whose tables are to be learned.
  std::vector<double> table = {};

  std::int32_t num_states() const { return static_cast<std::int32_t>(states.size()); }
};

// A non-negative function of some nodes, the last one's states fastest. Nodes needn't be ascending.
struct NetworkFactor {
  std::vector<std::int32_t> nodes;
  std::vector<double> values;
};

struct Network {
  std::string name = "network";
  std::string source = {};  // file, for messages
  std::vector<NetworkNode> nodes;
  bool is_directed = true;
  std::vector<NetworkFactor> factors = {};  // empty in a directed model

  std::int32_t size() const { return static_cast<std::int32_t>(nodes.size()); }
  const NetworkNode& node(std::int32_t v) const { return nodes[static_cast<std::size_t>(v)]; }
  std::vector<std::string> names() const;
  // Place of a node or state. Throws Error(usage) with the nearest name; `where` is the option.
  std::int32_t find(const std::string& name, const std::string& where) const;
  std::int32_t find_state(std::int32_t node, const std::string& state,
                          const std::string& where) const;
  // Rows of a node's table; Error(data) if they are more than a table can have.
  std::int64_t num_rows(std::int32_t node) const;
};

// How readers treat rows whose sum isn't 1.
struct NetworkRules {
  bool normalise = false;    // divide rows by their sums, whatever these are; else they are refused
  bool needs_tables = true;  // false: nodes without a table are a structure to learn
};

// Checks names, states, parents, sizes, entries, sums and cycles, and divides rows by their sums. Sums within 1e-6 of 1, the rounding of
// published tables with seven digits, are divided with a note; others are refused with the node, the row and the sum. Throws Error(data).
void require_sound(Network& network, const NetworkRules& rules, std::vector<std::string>& notes);

// "tub given asia = yes": a node with the states of its parents in a row of its table.
std::string row_words(const Network& network, std::int32_t node, std::int64_t row);

// A node after all of its parents, in the order of the file as far as this leaves a choice: the order of forward sampling. Throws
// Error(data) with the names along a cycle.
std::vector<std::int32_t> sampling_order(const Network& network);

// Logarithms of all factors, as elimination takes them. A factor for each table: the conditional probabilities become factors whose product
// is the joint distribution, so a directed model sums to 1.
numerics::FactorTables factors_of(const Network& network);

// True if a table or factor has an entry 0, so that some configurations are impossible: a sampler that changes a few nodes at a time may be
// unable to reach all others.
bool has_impossible_states(const Network& network);

// The network of these nodes and their ancestors. In a directed model the others can be left out: their sums are 1 [koller2009 sec. 9.3.3].
// `places`: where the remaining nodes are in the whole network, ascending. Undirected models keep all of their nodes.
struct NetworkPart {
  Network network;
  std::vector<std::int32_t> places;
};
NetworkPart with_ancestors(const Network& network, std::span<const std::int32_t> nodes);

}  // namespace credo::models
