// The log likelihood of a linear-Gaussian state-space model as one row (numerics/kalman_score.hpp).
#pragma once
#include "graph/core/op.hpp"

namespace credo::graph {

struct KalmanMatrices {
  Expr design, transition;  // F: n x r, G: n x n
  Expr observation_noise;   // V: r x r, or a vector of r variances
  Expr state_noise;         // W: n x n
  Expr mean, covariance;    // of x_0
};
// Without -log(2 pi)/2 of each number; columns of y (r x T) are the outcomes of the times. It can be differentiated once.
Expr kalman_log_density(const Expr& y, const KalmanMatrices& m);

// While one of these lives, what this thread traces will be differentiated more than once: formulas stand in place of rows that can
// be differentiated only once, where there are such formulas.
class DifferentiatedAgain {
 public:
  DifferentiatedAgain() : before_(asked_) { asked_ = true; }
  ~DifferentiatedAgain() { asked_ = before_; }
  DifferentiatedAgain(const DifferentiatedAgain&) = delete;
  DifferentiatedAgain& operator=(const DifferentiatedAgain&) = delete;
  static bool is_asked() { return asked_; }

 private:
  inline static thread_local bool asked_ = false;
  bool before_;
};

namespace ops {
std::span<const Op* const> kalman_rows();
}
}  // namespace credo::graph
