// Explicit Runge-Kutta methods with step size control, several lanes at once.
//
// Each lane is a problem of its own with its own steps: stages are evaluated together, everything
// else is decided lane by lane, so that a lane's solution is the same whatever runs beside it.
// Values lie as [element][lane].
#pragma once
#include "base/aligned.hpp"
#include "numerics/ode/embedded_pair.hpp"
#include "numerics/ode/ode.hpp"
#include "numerics/ode/stage_sums.hpp"

namespace credo::numerics {

// Values are worked on in groups of eight doubles, whose lanes repeat: place j of a group belongs
// to lane j % lanes. Arrays end with a whole group; what is behind the last element is zero.
inline Index padded_to_groups(Index size) {
  return (size + kStageGroup - 1) / kStageGroup * kStageGroup;
}

// y' = f(t, y) of all lanes at once. A lane that has ended is asked at some earlier point again.
class LaneSystem {
 public:
  virtual ~LaneSystem() = default;
  virtual void derivative(const double* t, const double* y, double* dy) = 0;
  virtual bool failed(Index lane) const = 0;  // its function can't be evaluated: the lane ends
};

// Which solution is wanted: values of `times` ([time][lane], ascending, after the start) go to
// out ([time][element][lane]).
struct LaneProblem {
  Index lanes = 1;
  const double* start = nullptr;    // [lane]
  const double* initial = nullptr;  // [element][lane]
  const double* times = nullptr;
  Index num_times = 0;
  double* out = nullptr;
  OdeTolerance tolerance;
  StepRecorder* recorder = nullptr;
};

// Working memory for problems of up to `elements` elements and `max_lanes` lanes.
class RungeKutta {
 public:
  RungeKutta(const EmbeddedPair& pair, Index elements, Index max_lanes);

  // Fills problem.out and `ends` (one a lane); what follows the end of an incomplete lane is left
  // as it was. Looks at the stop flag at each step.
  void solve(LaneSystem& system, const LaneProblem& problem, OdeEnd* ends);

 private:
  template <Index L>
  class Run;
  const EmbeddedPair& pair_;
  Index elements_;
  AlignedArray memory_;
};

}  // namespace credo::numerics
