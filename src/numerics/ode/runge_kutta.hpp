// Explicit Runge-Kutta methods with step size control, several lanes at once.
#pragma once
#include "base/aligned.hpp"
#include "numerics/ode/embedded_pair.hpp"
#include "numerics/ode/ode.hpp"
#include "numerics/ode/stage_sums.hpp"

namespace credo::numerics {

// Working memory for problems of up to `elements` elements and `max_lanes` lanes.
class RungeKutta {
 public:
  RungeKutta(const EmbeddedPair& pair, Index elements, Index max_lanes);

  // Fills problem.out and `ends` (one a lane); what follows the end of an incomplete lane is left
  // as it was. Checks the stop flag at each step.
  void solve(LaneSystem& system, const LaneProblem& problem, OdeEnd* ends);

 private:
  template <Index L>
  class Run;
  const EmbeddedPair& pair_;
  Index elements_;
  AlignedArray memory_;
};

}  // namespace credo::numerics
