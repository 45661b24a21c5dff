// Gibbs sampling of Gaussian mixtures with their parameters: known, or with conditionally conjugate
// priors. The collapsed form is models/mixture/collapsed_mixture.hpp.
#pragma once
#include "base/error.hpp"
#include "base/rng.hpp"
#include "infer/compose/chooser.hpp"
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::models {
using numerics::RowMatrix;

struct GaussianMixture {
  std::vector<double> weights;             // K, they sum to 1
  std::vector<std::vector<double>> means;  // K x D
  std::vector<RowMatrix> covariances;      // K of D x D

  Index num_components() const { return ssize(weights); }
  Index dimension() const { return means.empty() ? 0 : ssize(means[0]); }
};

// log(weight_k) + log N(x | mean_k, covariance_k) for each k.
std::vector<double> log_label_weights(const GaussianMixture& mixture, std::span<const double> x);

// Point and label of a known mixture in turn: a demonstration, since independent draws are as easy.
struct LabelledPoint {
  std::vector<double> x;
  Index label = 0;
};
void step_known(const GaussianMixture& mixture, LabelledPoint& at, Rng& rng);

// weights ~ Dirichlet(concentrations), mean_k ~ N(mean, mean_covariance), covariance_k ~ inverse
// Wishart(scale, dof), the same for every component: labels are exchangeable if concentrations are.
struct GaussianMixturePrior {
  std::vector<double> concentrations;  // K, > 0
  std::vector<double> mean;            // D
  RowMatrix mean_covariance, scale;    // D x D, positive definite
  double dof = 1.0;                    // > D - 1

  Index num_components() const { return ssize(concentrations); }
  Index dimension() const { return ssize(mean); }
  void check() const;  // throws Error(data)
};

struct GaussianMixtureState {
  GaussianMixture mixture;
  std::vector<Index> labels;  // N
};

// Exact draws: mixture and labels from the prior, points given them (N x D).
GaussianMixtureState draw_prior(const GaussianMixturePrior& prior, Index num_points, Rng& rng);
std::vector<double> draw_points(const GaussianMixtureState& state, Rng& rng);

// Log prior of weights, means and covariances, up to a constant; -infinity outside of its support.
double log_prior(const GaussianMixturePrior& prior, const GaussianMixture& mixture);

// One step draws all labels, the weights, all means, all covariances, each from its full
// conditional. A component without points gets draws from its prior. O(N K D^2).
class GaussianMixtureGibbs {
 public:
  GaussianMixtureGibbs(std::vector<double> points, GaussianMixturePrior prior);

  void step(GaussianMixtureState& state, Rng& rng) const;
  void update_labels(GaussianMixtureState& state, infer::Chooser& chooser) const;
  void update_weights(GaussianMixtureState& state, Rng& rng) const;
  void update_means(GaussianMixtureState& state, Rng& rng) const;
  void update_covariances(GaussianMixtureState& state, Rng& rng) const;

  // sum over the points of log(weight of the label) + log N(x | its component): what samplers are
  // compared by, iteration for iteration.
  double log_complete(const GaussianMixtureState& state) const;
  Index num_points() const { return num_points_; }

 private:
  std::span<const double> point(Index i) const {
    return std::span(points_).subspan(i * prior_.dimension(), prior_.dimension());
  }
  void check(const GaussianMixtureState& state) const;  // throws Error(data)
  std::vector<double> draw_mean(const GaussianMixtureState& state, Index k, Rng& rng) const;

  std::vector<double> points_;
  GaussianMixturePrior prior_;
  Index num_points_;
};

// ---- draws it is made of ----

std::vector<double> draw_dirichlet(std::span<const double> concentrations, Rng& rng);
std::vector<double> draw_gaussian(std::span<const double> mean, const RowMatrix& covariance,
                                  Rng& rng);
RowMatrix draw_inverse_wishart(const RowMatrix& scale, double dof, Rng& rng);

// ---- normal data with unknown mean and precision ----

// mean ~ N(mean, 1 / mean_precision), precision ~ Gamma(shape, rate); all zero: the limits, flat
// and 1 / precision.
struct NormalPrecisionPrior {
  double mean = 0.0, mean_precision = 0.0, shape = 0.0, rate = 0.0;
};
struct NormalPrecisionState {
  double mean = 0.0, precision = 1.0;
};

class NormalPrecisionGibbs {
 public:
  // Throws Error(data) if the posterior isn't proper: negative numbers in the prior, or, with
  // zeros, fewer than two different observations.
  NormalPrecisionGibbs(std::vector<double> data, const NormalPrecisionPrior& prior = {});
  void step(NormalPrecisionState& state, Rng& rng) const;  // the precision, then the mean

 private:
  std::vector<double> data_;
  NormalPrecisionPrior prior_;
  double sum_ = 0.0;
};

}  // namespace credo::models
