// Derivatives of a solution by a multistep method from the adjoint equation, solved backwards
// [cao2003]: l' = -(df/dy)^T l, which jumps by the adjoint of the solution at each output time. The
// adjoints of the initial states are l at the start, those of parameters the integral of
// (df/dq)^T l. The cost doesn't depend on how many parameters there are.
//
// The states that the equation needs come from the polynomials of the forward steps, l under the
// integral from those of its own. The integral is taken step by step, with Gauss's points for the
// order of 10. The derivatives are those of the solution and not of what the steps computed: both
// are right to their tolerances.
#pragma once
#include "numerics/ode/adjoint_system.hpp"
#include "numerics/ode/multistep.hpp"
#include "numerics/ode/polynomial_path.hpp"

namespace credo::numerics {

struct BackwardOptions {
  MultistepMethod method = MultistepMethod::bdf;
  OdeTolerance tolerance;  // tolerance of l
  bool relative = false;   // to the largest adjoint of the solution: l is scaled by it
};

// Working memory; grows with the steps of the longest solution.
class MultistepAdjoint final : public StepRecorder {
 public:
  MultistepAdjoint(MultistepMethod forward, const BackwardOptions& backward, AdjointSizes sizes);

  // Like Multistep::solve, and keeps the steps if pull_back is to follow.
  void solve(AdjointSystem& system, LaneProblem problem, bool keep, OdeEnd* ends);

  // Like RungeKuttaAdjoint::pull_back. If the adjoint equation can't be solved, a lane's end
  // becomes incomplete.
  const double* pull_back(AdjointSystem& system, const LaneProblem& problem, const double* weights,
                          OdeEnd* ends);

  void record(Index lane, const OdeStep& step, std::span<double* const> columns,
              Index lanes) override {
    (*recorded_)[static_cast<std::size_t>(lane)].add(step, columns, lane, lanes);
  }

 private:
  class Run;
  BackwardOptions options_;
  AdjointSizes sizes_;
  Multistep forward_, backward_;
  std::vector<PolynomialPath> states_, adjoints_;  // paths of each lane
  std::vector<PolynomialPath>* recorded_ = nullptr;
  AlignedArray memory_;
};

}  // namespace credo::numerics
