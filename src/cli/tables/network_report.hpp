// A network's graph, the answer on independence and learned tables, as text and as arrays.
#pragma once
#include "models/network/network_graph.hpp"
#include "models/network/network_learning.hpp"
#include "results/arrays/arrays.hpp"

namespace credo::cli {

struct NetworkReport {
  models::Network network;
  std::optional<models::SeparationQuestion> separation = {};
  std::vector<std::int32_t> path = {};  // active between both sides; empty: they are separated
  std::optional<models::Learned> learned = {};

  std::string text() const;
  results::ArrayList answer() const;
};

}  // namespace credo::cli
