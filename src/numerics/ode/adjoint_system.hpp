// Functions of y' = f(t, y, q) that derivatives by a pass backwards need.
#pragma once
#include "numerics/ode/ode.hpp"

namespace credo::numerics {

class AdjointSystem : public StiffSystem {
 public:
  // The products of the weights (an element per state) with df/dy and df/dq, one behind the other.
  virtual void pull_back(const double* t, const double* y, const double* weights, double* out) = 0;
};

struct AdjointSizes {
  Index states = 0, parameters = 0, max_lanes = 1;
};

}  // namespace credo::numerics
