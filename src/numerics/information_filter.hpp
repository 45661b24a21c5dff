// The Kalman filter in information form, by square roots [kaminski1971; bierman1977], and the smoother of two filters [fraser1969].
//
// The information about a state is a function of it, exp(c - |R x - z|^2 / 2), with R upper triangular: R' R is the information, and R = 0
// no information, for which a covariance is infinite. So an unknown start isn't a special case. Functions are
// multiplied by putting rows one above the other, and integrated by a QR decomposition.
#pragma once
#include "numerics/kalman.hpp"
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::numerics {

// Like diffuse_kalman_filter (numerics/kalman.hpp), with its likelihood and conventions: until the outcomes determine the state,
// means, covariances and increments are NaN. `unknown`: a column for each unknown of the first state, a unit vector. Noises of
// transitions and outcomes must be positive definite; a log likelihood of NaN: one isn't, or the outcomes don't determine the
// state.
KalmanResult information_filter(std::span<const LinearGaussianStep> steps,
                                std::span<const double> unknown = {});

// The distribution of the states given all outcomes, from the information about a state in the outcomes up to its time and
// in the later ones.
struct TwoFilterSmoothing {
  double log_likelihood = 0.0;          // NaN: as above
  std::vector<GaussianState> smoothed;  // of each time
  // x_{t+1} = matrix x_t + offset + N(0, root' root) given x_t and the later outcomes; for all times except the first.
  struct ForwardDistribution {
    DenseMatrix matrix, root;
    std::vector<double> offset;
  };
  std::vector<ForwardDistribution> forward;
};
TwoFilterSmoothing two_filter_smoother(std::span<const LinearGaussianStep> steps,
                                       std::span<const double> unknown = {});

// A draw of all states given all outcomes, time by time, made of as many standard normal numbers.
std::vector<double> smoothed_path(const TwoFilterSmoothing& smoothing,
                                  std::span<const double> normals);

}  // namespace credo::numerics
