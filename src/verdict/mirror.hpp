// A mode that a change of signs leads to.
#pragma once
#include "verdict/case.hpp"

namespace credo::verdict {

// Variables without constraint whose signs, changed together, leave the density as it is, as those
// of loadings and scores of a factor do. One element of theirs has one sign in all draws and lies
// three standard deviations from 0: half of the mass is where no draw is, by the symmetry alone.
struct Mirror {
  std::vector<std::string> variables = {};
  Index column = -1;  // furthest from 0
};
std::optional<Mirror> mirror_of(const Case& at_hand);

}  // namespace credo::verdict
