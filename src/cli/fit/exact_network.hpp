// credo exact of a network's file: probabilities of its nodes given others, without a program.
#pragma once
#include "cli/fit/exact_method.hpp"
#include "models/network/network_formats.hpp"

namespace credo::cli {

// "node=state". Throws Error(usage) with the nearest name, or the states. The last equals sign whose left side is a node parts the two.
std::pair<std::int32_t, std::int32_t> read_node_state(const std::string& word,
                                                      const models::Network& network);
// By node the place of its state, or -1. Throws Error(usage) for two states of a node.
std::vector<std::int32_t> given_states(std::span<const std::string> words,
                                       const models::Network& network);
// "a, b": places of nodes in the order of the words. Throws Error(usage) for unknown and repeated names.
std::vector<std::int32_t> read_nodes(const std::string& words, const models::Network& network,
                                     const std::string& option);
// Nodes named like parameters of an exact distribution, with `given` as places of states; values count from 1.
results::DiscreteNames names_of_network(const models::Network& network,
                                        std::vector<std::int32_t> given);

struct NetworkQuestion {
  std::vector<std::string> given, joint;
  std::string query;  // nodes, with commas; empty: all
  results::ExactOptions options;
};
// Nodes that are no ancestors of queried, joint and given ones are left out of a directed model: their sums are 1.
ExactAnswer exact_network(const models::Network& network, const NetworkQuestion& question,
                          const ExactMethod& method);

}  // namespace credo::cli
