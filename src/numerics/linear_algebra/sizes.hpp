// Sizes that callers of installed functions state (credo/sparse.hpp, credo/optimiser.hpp).
#pragma once
#include "base/error.hpp"
#include "base/types.hpp"

namespace credo::numerics {

inline void require_size(std::span<const double> given, Index wanted, const char* function,
                         const char* name) {
  if (ssize(given) != wanted)
    throw Error(ErrorCode::usage,
                std::string(name) + " has " + std::to_string(given.size()) +
                    " numbers, must have " + std::to_string(wanted),
                function);
}

}  // namespace credo::numerics
