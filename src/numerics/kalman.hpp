// Linear-Gaussian state-space models in square roots: filter, exact diffuse start, smoother.
//
//   x_1 ~ N(mean, covariance),   x_t = A x_{t-1} + b + N(0, Q),   y_t = C x_t + d + N(0, R)
//
// with A, b, Q, C, d, R that may differ from time to time. Covariances are carried as upper triangular S with S' S = P, made anew
// by QR decompositions, so that they stay positive semi-definite [kaminski1971; anderson1979, sec. 6.5]. Matrices are column-major.
#pragma once
#include "base/types.hpp"

namespace credo::numerics {

// d elements of the state, m of the outcome; an outcome that is NaN is missing, alone.
struct LinearGaussianStep {
  // Transition from the state before; at the first time `offset` is the mean and `noise` the covariance, without a matrix.
  std::vector<double> matrix = {}, offset = {}, noise = {};
  std::vector<double> observation = {}, observation_offset = {},
                      observation_noise = {};  // m x d, m, m x m
  std::vector<double> outcome = {};            // m
};

// Mean and S of one time.
struct GaussianState {
  std::vector<double> mean, root;
  std::vector<double> covariance() const;  // S' S
};

struct KalmanResult {
  double log_likelihood = 0.0;
  std::vector<double> log_increments;  // increment of each time
  std::vector<GaussianState> predicted,
      filtered;  // given the outcomes before the time, and with those of the time
};

// The filter. Throws nothing; a step whose outcome has no density (a singular covariance) gives a log likelihood of NaN.
KalmanResult kalman_filter(std::span<const LinearGaussianStep> steps);

// One step whose factors are there, for the many states that particles have.
class PreparedStep {
 public:
  // A step of the first time has no matrix.
  explicit PreparedStep(const LinearGaussianStep& step);
  // The state with the outcome of the step, and log p(outcome | outcomes before): 0 without one, NaN where that has no density.
  // `before`: the filtered state of the time before; null of the first time.
  GaussianState filtered(const GaussianState* before, double& log_increment) const;

 private:
  LinearGaussianStep step_;
  std::vector<double> noise_root_, observation_, residual_,
      observation_root_;  // those of the outcome's present elements
};

// A model that is made linear where the filter is.
class LinearisedModel {
 public:
  virtual ~LinearisedModel() = default;
  virtual Index num_times() const = 0;
  // matrix, offset and noise of the step to a time, about the filtered state before it; null at the first time.
  virtual void transition(Index time, const GaussianState* before, LinearGaussianStep& step) = 0;
  // observation, its offset, its noise and the outcome, about the predicted state; left empty without an outcome.
  virtual void observation(Index time, const GaussianState& predicted,
                           LinearGaussianStep& step) = 0;
};
// The filter of the linear models that it meets, which are left in `steps`: with them, rts_smoother smooths.
KalmanResult linearised_kalman_filter(LinearisedModel& model,
                                      std::vector<LinearGaussianStep>& steps);

// Kalman filter if a part of the first state is unknown: x_1 = mean + E delta + N(0, covariance), with a column of E
// (d x k) for each unknown and delta ~ N(0, kappa), kappa to infinity. The log likelihood is the diffuse one,
//   lim log p(y) + k/2 log(2 pi kappa),
// found by the augmented filter, whose columns follow the unknowns [dejong1991; durbin2012, sec. 5.7.3]. Until the outcomes
// determine all unknowns, filtered means and covariances are NaN, and so are the increments, but not their sum.
KalmanResult diffuse_kalman_filter(std::span<const LinearGaussianStep> steps,
                                   std::span<const double> unknown);

// The distribution of a state given the next one and the outcomes up to its time: x_t ~ N(filtered mean + G (x_{t+1} -
// predicted mean), S' S).
struct BackwardDistribution {
  std::vector<double> gain, root;
};
// Distributions at all times except the last. Singular predicted covariances get a pseudo-inverse.
std::vector<BackwardDistribution> backward_distributions(std::span<const LinearGaussianStep> steps,
                                                         const KalmanResult& filtered);

// A draw of all states given all outcomes, time by time, made of as many standard normal numbers: the states backwards
// [carter1994; fruehwirth1994].
std::vector<double> smoothed_path(const KalmanResult& filtered,
                                  std::span<const BackwardDistribution> distributions,
                                  std::span<const double> normals);

// Means and S of each time given all outcomes [rauch1965]. Singular predicted covariances are met by a pseudo-inverse.
std::vector<GaussianState> rts_smoother(std::span<const LinearGaussianStep> steps,
                                        const KalmanResult& filtered);

}  // namespace credo::numerics
