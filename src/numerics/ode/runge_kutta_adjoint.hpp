// Derivatives of a solution by an explicit Runge-Kutta pair, by one pass backwards through its
// steps: the exact derivatives of what the steps compute, their lengths held fixed (Hairer, Nørsett
// and Wanner, Solving Ordinary Differential Equations I, II.6, of the method; Griewank and Walther
// 2008, 4.6, of going backwards with checkpoints). The cost doesn't depend on how many parameters
// there are.
//
// With stages k_s = f(t + c_s h, Y_s, q), Y_s = y + h sum_j a_sj k_j and y' = y + h sum_s b_s k_s,
// and with l' the adjoint of y': that of k_s is K_s = h (b_s l' + sum_r>s a_rs J_r^T K_r), that of
// y is l' + sum_s J_s^T K_s, and that of q grows by sum_s (df/dq)_s^T K_s. Output times between the
// ends of a step are y + h sum_s w_s k_s with the weights of the continuous extension.
#pragma once
#include "numerics/ode/adjoint_system.hpp"
#include "numerics/ode/runge_kutta.hpp"
#include "numerics/ode/trajectory.hpp"

namespace credo::numerics {

// Working memory; grows with the steps of the longest solution.
class RungeKuttaAdjoint final : public StepRecorder {
 public:
  RungeKuttaAdjoint(const EmbeddedPair& pair, AdjointSizes sizes,
                    Index most_doubles = Trajectory::kMostDoubles);

  // Like RungeKutta::solve, and keeps the steps if pull_back is to follow.
  void solve(AdjointSystem& system, LaneProblem problem, bool keep, OdeEnd* ends);

  // For the problem just solved: `weights` are adjoints of its solution, as `problem.out` lies; the
  // result is the adjoints of initial states and parameters, [element][lane], and has no meaning in
  // lanes that aren't complete. Checks the stop flag at each step.
  const double* pull_back(AdjointSystem& system, const LaneProblem& problem, const double* weights,
                          OdeEnd* ends);

  void record(Index lane, const OdeStep& step, std::span<double* const> columns,
              Index lanes) override {
    trajectories_[static_cast<std::size_t>(lane)].add(step, columns[0] + lane, lanes);
  }

 private:
  class Run;
  const EmbeddedPair& pair_;
  AdjointSizes sizes_;
  RungeKutta forward_;
  std::vector<Trajectory> trajectories_;
  AlignedArray memory_;
};

}  // namespace credo::numerics
