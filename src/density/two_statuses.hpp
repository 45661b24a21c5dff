// One number for the refusals of two densities, which may both have any numbers but 0: those of the first one become even,
// those of the second one odd.
#pragma once
#include "density/log_density.hpp"

namespace credo::density {

inline Status of_first(Status status) {
  status.source *= 2;
  return status;
}
inline Status of_second(Status status) {
  status.source = 2 * status.source + 1;
  return status;
}

// Description by the density that refused.
inline std::string describe_of_two(const Status& status, const LogDensity& first,
                                   const LogDensity& second) {
  Status own = status;
  const bool is_second = status.source % 2 != 0;
  own.source = is_second ? (status.source - 1) / 2 : status.source / 2;
  return is_second ? second.describe(own) : first.describe(own);
}

}  // namespace credo::density
