// Factors that may be turned about the origin.
#pragma once
#include "verdict/case.hpp"

namespace credo::verdict {

// Matrices whose rows or columns, turned together about the origin, leave the density as it is, as
// the loadings and scores of two factors do.
struct Rotation {
  std::vector<std::string> variables = {};
};
std::optional<Rotation> rotation_of(const Case& at_hand);

}  // namespace credo::verdict
