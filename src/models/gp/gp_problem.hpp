// Regression by a Gaussian process with normal noise, and what its solvers answer.
//
//   y = H beta + f(x) + noise,  f ~ GP(0, k),  noise ~ normal(0, sigma),  beta with a flat prior (none: q = 0)
#pragma once
#include "models/kernels/covariance.hpp"
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::models {

struct GpProblem {
  Covariance covariance;  // its parameters include the noise's
  CovariancePoints x = {};
  std::vector<double> y = {};
  numerics::DenseMatrix mean_columns = {};  // H, N x q
  Index noise = -1;                         // number of the parameter sigma; -1: no noise
  Index num_threads = 0;                    // 0: all processors

  Index num_rows() const { return ssize(y); }
  double noise_variance(std::span<const double> theta) const {
    if (noise < 0) return 0.0;
    const double sd = theta[static_cast<std::size_t>(noise)];
    return sd * sd;
  }
};

// log p(y | theta), with beta integrated over its flat prior of density 1, and derivatives by the natural parameters.
struct GpEvidence {
  double value = -kInfinity;
  std::vector<double> slopes = {};  // empty if they weren't requested, or there is no value
  Index failed = -1;  // row at which the covariance isn't positive definite to rounding; -1: none
};

// Mean and variance of a part of the process at points; `mean_columns`: its rows of H, or none for a part without the mean.
struct GpMoments {
  std::vector<double> mean, variance;
};

class GpPosterior {
 public:
  virtual ~GpPosterior() = default;
  // Moments of a term's function (or of the root) at points; with_mean: plus H beta.
  virtual GpMoments moments(const KernelNode& node, const CovariancePoints& at,
                            const numerics::DenseMatrix* mean_columns) const = 0;
  // Joint covariance of f + H beta at points.
  virtual numerics::DenseMatrix covariance(const CovariancePoints& at,
                                           const numerics::DenseMatrix* mean_columns) const = 0;
  // Mean and variance of the derivative of f + H beta by input `column`; `slopes`: that of the rows of H.
  virtual GpMoments derivative(const CovariancePoints& at, Index column,
                               const numerics::DenseMatrix* slopes) const = 0;
  virtual std::vector<double> coefficients() const = 0;  // beta
  virtual std::vector<double> coefficient_sds() const = 0;
  virtual std::span<const double> weights() const = 0;  // alpha: the mean is k(x)' alpha + h beta
  // Mean of the outcome at points by class, for outcomes that aren't normal: that for one trial, or a unit of exposure.
  virtual std::vector<std::vector<double>> outcomes(const CovariancePoints&,
                                                    const numerics::DenseMatrix*) const {
    return {};
  }
};

class GpSolver {
 public:
  virtual ~GpSolver() = default;
  virtual GpEvidence evidence(std::span<const double> theta, bool with_slopes) = 0;
  // Throws Error(evaluation) where evidence() fails, naming rows and the way out.
  virtual std::unique_ptr<GpPosterior> posterior(std::span<const double> theta) = 0;
  // Sentences on the errors of an approximation, after the hyperparameters are estimated.
  virtual std::vector<std::string> remarks(std::span<const double> /*theta*/) { return {}; }
};

// ---- the flat prior of beta, shared by solvers

// With K^-1 applied to y and H: the generalised least squares of beta.
struct GpMean {
  std::vector<double> beta = {};
  numerics::DenseMatrix factor = {};  // R, upper, with R' R = H' K^-1 H
  double quadratic = 0.0;             // (y - H beta)' K^-1 (y - H beta)
  double log_determinant = 0.0;       // of H' K^-1 H
  bool is_defined = true;             // H has full rank
};
// `cross`: H' K^-1 H; `right`: H' K^-1 y; `square`: y' K^-1 y.
GpMean solve_mean(const numerics::DenseMatrix& cross, std::span<const double> right, double square);
double gp_log_evidence(double log_determinant, const GpMean& mean, Index num_rows);

std::unique_ptr<GpSolver> make_exact_solver(const GpProblem& problem);

// The Kalman filter of the kernels' states. why_no_states: why the covariance has none; empty: it has.
std::string why_no_states(const Covariance& covariance);
bool states_are_approximate(const Covariance& covariance);  // true for a periodic kernel
std::unique_ptr<GpSolver> make_states_solver(const GpProblem& problem);

}  // namespace credo::models
