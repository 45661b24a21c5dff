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

}  // namespace credo::numerics
