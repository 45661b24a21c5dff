// Initial value problems y' = f(t, y): what solvers have in common.
//
// Several lanes are solved at once. Each is a problem of its own with its own steps: functions are
// evaluated together, everything else is decided lane by lane, so that a lane's solution is the
// same whatever runs beside it. Values lie as [element][lane].
#pragma once
#include "base/types.hpp"

namespace credo::numerics {

// Every element's local error is at most absolute + relative * |element| in each step.
struct OdeTolerance {
  double relative = 1e-6, absolute = 1e-6;
  Index max_steps = 1'000'000;  // between one output time and the next
};

// How the solution of one lane ended.
struct OdeEnd {
  bool complete = true;
  bool out_of_steps = false;  // max_steps weren't enough; otherwise the step became too small
  double reached = 0.0;       // the last time with a solution, where it isn't complete
  bool stiff = false;         // given up for that, where the problem asks for it
};

// A step of one lane: from t to t + h; `next` is the first output time that isn't before it.
struct OdeStep {
  double t = 0.0, h = 0.0;
  Index next = 0;
};

// Receives each step that a solver accepts. Element i of column j is columns[j][lane + i *
// lanes]. Runge-Kutta methods have one column, the states at the step's start; multistep methods
// those of the step's polynomials in (time - its end) / h.
class StepRecorder {
 public:
  virtual ~StepRecorder() = default;
  virtual void record(Index lane, const OdeStep& step, std::span<double* const> columns,
                      Index lanes) = 0;
};

// y' = f(t, y) of all lanes at once. A lane that has ended is evaluated again at an earlier point.
class LaneSystem {
 public:
  virtual ~LaneSystem() = default;
  virtual void derivative(const double* t, const double* y, double* dy) = 0;
  virtual bool failed(Index lane) const = 0;  // its function can't be evaluated: the lane ends
};

// A system in which the first elements are states and the others sensitivities, rows [state][column]:
// s' = (df/dy) s + df/dx.
class StiffSystem : public LaneSystem {
 public:
  virtual void states(const double* t, const double* y, double* dy) = 0;    // f of the states alone
  virtual void jacobian(const double* t, const double* y, double* df) = 0;  // [column][row][lane]
};

// Solution to compute: values at `times` ([time][lane], ascending, after the start) go to
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
  bool ends_stiff = false;  // an explicit method gives up lanes that an implicit one should solve
  // The last so many states have no derivatives: f is 0 there. Their errors aren't judged. For
  // backward differentiation formulas.
  Index algebraic = 0;
};

// Time from the start to the last output time; not finite unless all times are, and then it can't be
// solved.
inline double span_of(const LaneProblem& problem, Index lane) {
  double sum = 0.0;  // not finite if a time isn't
  for (Index k = 0; k < problem.num_times; ++k)
    sum += 0.0 * problem.times[k * problem.lanes + lane];
  return problem.times[(problem.num_times - 1) * problem.lanes + lane] - problem.start[lane] + sum;
}

}  // namespace credo::numerics
