// Implicit multistep methods of variable order and step with forward sensitivities: backward
// differentiation formulas of orders 1 to 5 and Adams' of orders 1 to 12 [hairer1993, III]. A step
// length is kept for as many steps as its order needs, then changed by interpolation
// [shampine1997]; the corrector is Newton's method with the system's Jacobian. Sensitivities are
// corrected after the states with the same factors ("staggered" [feehery1997]) and take part in
// the error test.
#pragma once
#include "base/aligned.hpp"
#include "numerics/ode/lane_factors.hpp"
#include "numerics/ode/multistep_formula.hpp"
#include "numerics/ode/ode.hpp"

namespace credo::numerics {

// Working memory for problems of n states with c sensitivities each; one thread's. It allocates
// when it is made and not while it solves.
class Multistep {
 public:
  Multistep(MultistepMethod method, Index states, Index columns, Index max_lanes);

  // Fills problem.out and `ends` (one a lane); what follows the end of an incomplete lane is left
  // as it was. Checks the stop flag at each step.
  void solve(StiffSystem& system, const LaneProblem& problem, OdeEnd* ends);

 private:
  class Run;
  MultistepFormula formula_;
  Index states_, columns_;
  AlignedArray memory_;
  LaneFactors factors_;
};

}  // namespace credo::numerics
