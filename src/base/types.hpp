// Names that every layer uses.
#pragma once
#include "base/std.hpp"

namespace credo {
using Index = std::ptrdiff_t;  // sizes and positions; signed, so that differences are what they look like

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// The size of a container as an Index.
template <class Container>
constexpr Index ssize(const Container& container) {
  return static_cast<Index>(container.size());
}
}  // namespace credo
