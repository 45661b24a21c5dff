// A network as a Stan program with int parameters, and forward draws.
#pragma once
#include "base/rng.hpp"
#include "models/network/network.hpp"

namespace credo::models {

// Names of a program for the nodes: their own where these are usable, otherwise with underscores in the place of other characters, and a
// number behind equal ones. `is_usable` is false for words of the language and names of its functions.
std::vector<std::string> program_names(const Network& network,
                                       const std::function<bool(const std::string&)>& is_usable);

// The program, whose parameters are the states, counted from 1 in the network's order, of nodes that aren't given; `given`: places of
// states, -1 for others. Tables are transformed data. Throws Error(usage) for more than 16 parents, which no array of a program has.
std::string network_program(const Network& network, std::span<const std::int32_t> given,
                            std::span<const std::string> names);

// States of all nodes, drawn along `order` (sampling_order): exact, without conditions.
std::vector<std::int32_t> draw_forward(const Network& network, std::span<const std::int32_t> order,
                                       Rng& rng);

}  // namespace credo::models
