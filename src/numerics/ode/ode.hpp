// Initial value problems y' = f(t, y): what solvers have in common.
#pragma once
#include "base/types.hpp"

namespace credo::numerics {

// Every element's local error is at most absolute + relative * |element| in each step.
struct OdeTolerance {
  double relative = 1e-6, absolute = 1e-6;
  Index max_steps = 1'000'000;  // between one wanted time and the next
};

// How the solution of one lane ended.
struct OdeEnd {
  bool complete = true;
  bool out_of_steps = false;  // max_steps weren't enough; otherwise the step became too small
  double reached = 0.0;       // the last time with a solution, where it isn't complete
};

// A step of one lane: from t to t + h; `next` is the first wanted time that isn't before it.
struct OdeStep {
  double t = 0.0, h = 0.0;
  Index next = 0;
};

// Is told of each step that a solver takes for good. Element i of the state at the step's start is
// y[i * stride].
class StepRecorder {
 public:
  virtual ~StepRecorder() = default;
  virtual void record(Index lane, const OdeStep& step, const double* y, Index stride) = 0;
};

}  // namespace credo::numerics
