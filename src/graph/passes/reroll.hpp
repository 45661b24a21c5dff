// Reroll: scalar instances of one operation, as loops leave them, become vector nodes.
#pragma once
#include "graph/passes/passes.hpp"

namespace credo::graph {

Traced reroll(const Traced& traced);

}  // namespace credo::graph
