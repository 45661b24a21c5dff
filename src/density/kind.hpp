// Kind of a variable's numbers: real, whole, or 0 and 1.
#pragma once
#include "base/types.hpp"

namespace credo::density {

enum class Kind { real, whole, flag };

// The kind of a struct's member, by its type.
template <class T>
constexpr Kind kind_of() {
  if constexpr (std::is_same_v<T, bool>) return Kind::flag;
  return std::is_integral_v<T> ? Kind::whole : Kind::real;
}

}  // namespace credo::density
