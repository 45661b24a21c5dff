// The rows of ops_special_incomplete.cpp.
#pragma once
#include "graph/core/op.hpp"

namespace credo::graph::ops {
std::span<const Op* const> incomplete_rows();
}
