// Implicit multistep methods with forward sensitivities, for one problem at a time: variable order
// and step, by SUNDIALS' CVODES (Hindmarsh et al. 2005; Serban and Hindmarsh 2005). The Newton
// corrector uses the system's Jacobian; sensitivities are corrected after the states ("staggered")
// and take part in the error test.
#pragma once
#include "numerics/ode/ode.hpp"

namespace credo::numerics {

// y' = f(t, y, p) with n states, and c sensitivities of each: rows [state][column]. Each function
// returns false where f can't be evaluated, which ends the solution.
class SensitivitySystem {
 public:
  virtual ~SensitivitySystem() = default;
  virtual bool derivative(double t, const double* y, double* dy) = 0;
  virtual bool jacobian(double t, const double* y, double* by_columns) = 0;  // df / dy, n x n
  virtual bool sensitivities(double t, const double* y, const double* s, double* ds) = 0;
};

enum class MultistepMethod : std::uint8_t { adams, bdf };

struct MultistepProblem {
  double start = 0.0;
  const double* initial = nullptr;  // states, then rows of sensitivities
  std::span<const double> times;    // ascending, none before the start
  double* out = nullptr;            // [time][as initial]
  OdeTolerance tolerance;
};

// One thread's; it allocates when it is made and not while it solves.
class Multistep {
 public:
  Multistep(MultistepMethod method, Index states, Index columns);
  ~Multistep();
  Multistep(const Multistep&) = delete;
  Multistep& operator=(const Multistep&) = delete;

  // Stops (base/stop.hpp) where the system's functions do.
  OdeEnd solve(SensitivitySystem& system, const MultistepProblem& problem);

 private:
  struct Solver;
  std::unique_ptr<Solver> solver_;
};

}  // namespace credo::numerics
