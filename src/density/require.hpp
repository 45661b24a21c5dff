// A missing capability as an error.
#pragma once
#include "base/error.hpp"
#include "density/query.hpp"

namespace credo::density {

// Throws Error(program) with the reason, unless it can. `place`: where the error places it.
inline void require(const Capability& can, const std::string& place = {}) {
  if (!can.can)
    throw Error(ErrorCode::program, can.reason, can.where.empty() ? place : can.where, can.hint);
}

}  // namespace credo::density
