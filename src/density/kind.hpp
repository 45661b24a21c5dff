// What the numbers of a variable are: any, whole ones, or 0 and 1.
#pragma once
#include "base/types.hpp"

namespace credo::density {

enum class Kind { real, whole, flag };

// Of a member of a struct.
template <class T>
constexpr Kind kind_of() {
  if constexpr (std::is_same_v<T, bool>) return Kind::flag;
  return std::is_integral_v<T> ? Kind::whole : Kind::real;
}

}  // namespace credo::density
