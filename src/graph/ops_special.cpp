// Elementwise rows over special functions.
#include "graph/ops.hpp"

namespace credo::graph {
std::span<const Op* const> ops::special_rows() { return {}; }
}  // namespace credo::graph
