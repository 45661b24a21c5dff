// Sizes that callers of installed functions state (credo/sparse.hpp, credo/optimiser.hpp).
#pragma once
#include <fmt/format.h>

#include "base/error.hpp"
#include "base/types.hpp"

namespace credo::numerics {

inline void require_size(std::span<const double> given, Index wanted, const char* function,
                         const char* name) {
  if (ssize(given) != wanted)
    throw Error(ErrorCode::usage,
                fmt::format("{} has {} numbers, must have {}", name, given.size(), wanted),
                function);
}

}  // namespace credo::numerics
