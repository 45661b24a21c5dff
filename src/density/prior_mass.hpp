// Integral of a program's priors as written. A density cut by declared bounds and
// without T[,] has less than mass 1 (half of it for a half-normal prior); the posterior doesn't
// care, the evidence does: log evidence of normalised priors = log integral of the target -
// log_mass.
#pragma once
#include "base/std.hpp"

namespace credo::density {

struct PriorMass {
  struct Part {
    std::string parameter, where;  // "model.stan:12:3" of the prior; empty where it has none
    double log_mass = 0.0;         // NaN where it isn't known
    std::string reason =
        {};  // why it isn't known or is infinite; empty: no prior, and an unbounded range
  };
  double log_mass = 0.0;      // the sum of `entered`
  std::vector<Part> entered;  // priors that don't integrate to 1; the parameters' order
  std::vector<Part> not_judged;
  std::vector<Part> improper;  // flat on an unbounded range: there is no evidence
};

}  // namespace credo::density
