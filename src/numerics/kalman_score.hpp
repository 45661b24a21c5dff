// The log likelihood of a linear-Gaussian state-space model whose matrices are the same at all times, and its gradient by all of
// them, for graphs (graph/ops/kalman.cpp). Filters and smoothers of models that change, with missing outcomes, are in kalman.hpp.
//
//   y_t ~ N(F' x_t, V),   x_t ~ N(G x_(t-1), W),   x_0 ~ N(m, C),     t = 1, ..., times   [west1997, ch. 4]
//
// Each element of a result is one chain of fused multiply-adds, so the SIMD target changes no bit. One point at a time: vectors run
// along the rows of matrices. Nothing here allocates.
#pragma once
#include "base/types.hpp"

namespace credo::numerics {

struct KalmanSizes {
  Index states = 0, outcomes = 0, times = 0;
  bool variances =
      false;  // V is the vector of its diagonal; many outcomes are taken some at a time
  // Optional parts of the gradient, zero if not requested: those by F and by G.
  bool by_design = true, by_transition = true;
};

// Column-major, one behind the other, and the gradient likewise.
enum KalmanPart : std::size_t {
  kOutcomes,          // outcomes x times
  kDesign,            // F: states x outcomes
  kTransition,        // G: states x states
  kObservationNoise,  // V: outcomes x outcomes, or outcomes
  kStateNoise,        // W: states x states
  kMean,              // m
  kCovariance,        // C
  kKalmanParts
};
using KalmanInputs = std::array<const double*, kKalmanParts>;
Index kalman_part_size(const KalmanSizes& sizes, std::size_t part);

// Without -log(2 pi)/2 of each outcome. V, W and C count by their symmetric parts. NaN where the covariance of an outcome given those
// before it isn't positive definite.
double kalman_log_density(const KalmanSizes& sizes, const KalmanInputs& in, double* scratch);
Index kalman_log_density_scratch(const KalmanSizes& sizes);

// Its gradient: the filter forwards, then its adjoints backwards, which are the recursions of the disturbance smoother
// [koopman1992; durbin2012, sec. 4.5, 7.3.3]. NaN in all places where the log density is NaN.
void kalman_score(const KalmanSizes& sizes, const KalmanInputs& in, double* gradient,
                  double* scratch);
Index kalman_score_scratch(const KalmanSizes& sizes);

}  // namespace credo::numerics
