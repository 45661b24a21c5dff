// Names that every layer uses.
#pragma once
#include "base/std.hpp"

namespace credo {
using Index = std::ptrdiff_t;  // sizes and positions; signed, so that differences may be negative

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

using std::ssize;  // the size of a container as an Index
}  // namespace credo
