// Features of a covariance: functions phi_m with k(x, z) near sum_m phi_m(x) phi_m(z), so that the process is a linear model of weights
// w ~ N(0, 1).
#pragma once
#include "models/gp/gp_problem.hpp"
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::models {

// An addend of the covariance: a product of stationary kernels with one scale.
struct GpFeatureTerm {
  const KernelNode* node = nullptr;
  std::vector<const KernelNode*> atoms = {};   // without constants
  std::vector<const KernelNode*> scaled = {};  // nodes whose scales are multiplied
  Index first = 0, count = 0;                  // features

  double amplitude(std::span<const double> theta) const;
};

class FeatureMap {
 public:
  virtual ~FeatureMap() = default;
  Index size() const { return size_; }
  const std::vector<GpFeatureTerm>& terms() const { return terms_; }
  virtual void set(std::span<const double> theta) = 0;
  // Features at a point; by_column >= 0: their derivatives by this input.
  virtual void fill(const CovariancePoints& at, Index i, Index by_column, double* out) const = 0;
  // Adds sum_im weight(i, m) dphi_m(x_i) / dtheta; `weights` and `features`: N x size() by rows.
  virtual void add_slopes(const CovariancePoints& x, const double* weights, const double* features,
                          std::span<double> gradient) const = 0;

 protected:
  std::vector<GpFeatureTerm> terms_;
  Index size_ = 0;
};

// Why the covariance has no such features; empty: it has.
std::string why_no_random_features(const GpProblem& problem);
std::string why_no_hilbert_features(const GpProblem& problem);

// Pairs cos(w'x), sin(w'x) with frequencies from the spectral densities as distributions [rahimi2007]: unbiased, with an error of order
// 1 / sqrt(count). Frequencies at two theta are the same numbers of the seed.
std::unique_ptr<FeatureMap> make_random_features(const GpProblem& problem, Index count,
                                                 std::uint64_t seed);
// Eigenfunctions of the Laplace operator on a box 2.5 times as wide as the rows, with the spectral densities at their frequencies [solin2020].
// Points further than the rows' range by more than a quarter of it are refused (Error(usage)).
std::unique_ptr<FeatureMap> make_hilbert_features(const GpProblem& problem, Index count);

// The linear model of the features, N M² and memory 2 N M.
std::unique_ptr<GpSolver> make_feature_solver(const GpProblem& problem,
                                              std::unique_ptr<FeatureMap> features);

}  // namespace credo::models
