// Algebra of normal approximations q(f) at N rows: f ~ N(0, K) times exp(shift_n f_n - precision_n f_n² / 2) for each row.
//
//   D = diag(sqrt precision),  B = 1 + D K D = L L',  R = D B^-1 D = (K + diag(precision)^-1)^-1
//   alpha = shift - R K shift,  E f = K alpha,  cov f = K - K R K;  at a new point  E f = k' alpha,  var f = k - k' R k
//
// [rasmussen2006, sections 3.4.2, 3.4.3 and 3.6]. K includes the coefficients of the mean, which have normal priors.
#pragma once
#include "models/gp/outcomes/gp_outcome.hpp"
#include "models/gp/tiled_factor.hpp"

namespace credo::models {

// Functions of the mean, moved and scaled so that their coefficients are a priori N(0, 1).
class MeanPrior {
 public:
  // `scale`: the unit of f, in which the standard deviations of the coefficients are stated.
  MeanPrior(const numerics::DenseMatrix& columns, bool has_intercept, double scale);

  Index size() const { return ssize(sds_); }
  // Values of the functions at rows of H, rows x q.
  numerics::DenseMatrix scaled(const numerics::DenseMatrix& columns) const;
  // Moments of the coefficients of the columns as they are, from those of the scaled ones.
  GpMoments coefficients(std::span<const double> mean,
                         const numerics::DenseMatrix& covariance) const;

 private:
  std::vector<double> centres_, sds_;
  bool has_intercept_;
};

// The rows' covariance and everything that doesn't depend on the sites.
struct LatentPrior {
  LatentPrior(const GpProblem& problem, const GpOutcome& outcome);

  Index size() const { return problem.num_rows(); }
  // K at theta, all of it.
  numerics::DenseMatrix covariance(std::span<const double> theta) const;
  // sum over i, j of weight(i, j) dK_ij / dtheta, for a symmetric weight; by the covariance's parameters.
  std::vector<double> slopes(std::span<const double> theta,
                             const std::function<double(Index, Index)>& weight) const;
  // k(x_i, at_j) for j = first, ..., with the functions of the mean where h is given; N x count.
  numerics::DenseMatrix cross(const KernelNode& node, std::span<const double> theta,
                              const CovariancePoints& at, Index first, Index count,
                              const numerics::DenseMatrix* scaled_h) const;

  const GpProblem& problem;
  const GpOutcome& outcome;
  MeanPrior mean;
  numerics::DenseMatrix h;  // scaled, N x q
  mutable WorkerTeam team;
};

struct LatentSites {
  std::vector<double> precision, shift;
};

// q(f) for given sites.
struct LatentNormal {
  // Not positive definite to rounding, or numbers that aren't finite: `is_defined` is false.
  LatentNormal(const LatentPrior& prior, const numerics::DenseMatrix& k, LatentSites sites);
  // f is known at the rows: R = K^-1, by the factor of K.
  LatentNormal(std::unique_ptr<TiledFactor> factor_of_k, std::span<const double> f);

  std::vector<double> times_r(std::span<const double> x) const;  // R x
  // Variances of f at the rows.
  std::vector<double> variances(const numerics::DenseMatrix& k) const;
  // R, all of it, in place of the factor.
  numerics::DenseMatrix take_r();

  bool is_defined = true;
  LatentSites sites;
  std::vector<double> root, alpha, mean;  // D; alpha; E f
  double log_determinant = 0.0;           // of B
  std::unique_ptr<TiledFactor> factor;
};

// The end of a climb or of rounds with these last changes, in units of their scale: small, or small enough where rounding stops the descent.
inline bool has_settled(double change, double before) {
  return change < 1e-10 || (change < 1e-7 && change > 0.9 * before);
}

std::vector<double> times(const numerics::DenseMatrix& symmetric, std::span<const double> x);

// Predictions of q(f).
std::unique_ptr<GpPosterior> make_latent_posterior(const LatentPrior& prior,
                                                   std::span<const double> theta, LatentNormal q);

// Means of the outcome at points whose function has these moments, averaged over the function.
std::vector<double> outcome_means(const GpOutcome& outcome, const GpMoments& f);
std::vector<double> sds_of(const GpMoments& moments);

}  // namespace credo::models
