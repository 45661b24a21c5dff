// Regression on radial basis functions whose number isn't known [andrieu2001].
//
//   y_i = b_0 + b'x_i + sum_{j <= k} a_j K(|x_i - mu_j|) + e_i,   K(r) = exp(-r^2 / (2 width^2))
//
//   k        Poisson(expected_centres) cut at max_centres
//   mu_j     N(centre_mean, centre_sd^2) in each coordinate, independent
//   a_j | s  N(0, (bump_scale s)^2);  b_0, b | s ~ N(0, (line_scale s)^2)
//   e_i      N(0, s^2);  s^2 ~ inverse gamma(noise.shape, noise.rate)
//
// It has the form of two families whose model k has k centres and whose models have the same evidence:
//   full_family       x_k = (log s, b_0, b, (mu_1, a_1), ..., (mu_k, a_k)), with gradients
//   collapsed_family  x_k = (mu_1, ..., mu_k): coefficients and noise are integrated out
#pragma once
#include "infer/jumps/components.hpp"
#include "models/jumps/conjugate_regression.hpp"

namespace credo::models {

inline constexpr Index kMostInputs = 16;

struct RbfProblem {
  std::vector<double> x;  // N x d, point by point
  std::vector<double> y;
  Index num_inputs = 1;  // d, at most kMostInputs
  double width = 1.0;
  Index max_centres = 10;
  double expected_centres = 2.0;
  double centre_mean = 0.0, centre_sd = 1.0;
  double bump_scale = 3.0, line_scale = 3.0;
  NoisePrior noise = {};

  Index num_points() const { return ssize(y); }
  std::span<const double> point(Index i) const {
    return std::span(x).subspan(static_cast<std::size_t>(i * num_inputs),
                                static_cast<std::size_t>(num_inputs));
  }
  double basis(std::span<const double> at, std::span<const double> centre) const;
  infer::rj::ComponentLayout full_layout() const {
    return {num_inputs + 2, num_inputs + 1, num_inputs};
  }
  infer::rj::ComponentLayout collapsed_layout() const { return {0, num_inputs, num_inputs}; }
  std::vector<double> log_prior_of_number() const;  // normalised, k = 0 ... max_centres
};

// Throws Error(data) for sizes that don't fit or settings out of range.
using SharedRbf = std::shared_ptr<const RbfProblem>;
SharedRbf make_rbf(RbfProblem problem);

// Log likelihood plus log priors of all but k.
std::shared_ptr<const density::LogDensity> full_rbf(const SharedRbf& problem, Index num_centres);
std::shared_ptr<const density::LogDensity> collapsed_rbf(const SharedRbf& problem,
                                                         Index num_centres);

// update: kernel of each model; the full one has gradients, the collapsed one hasn't.
infer::rj::Family full_family(const SharedRbf& problem, const infer::KernelMaker& update);
infer::rj::Family collapsed_family(const SharedRbf& problem, const infer::KernelMaker& update);

// Birth, death, split and merge, b_k and d_k as balanced_probabilities of the prior. alpha > 0: a
// split centre's halves are at most 2 alpha apart, as are centres that merge.
struct RbfMoveOptions {
  double alpha = 1.0, share = 0.2;
};
// Coefficients of new, split and merged centres are drawn from their distributions given all the rest.
std::vector<infer::rj::Jump> full_rbf_jumps(const SharedRbf& problem,
                                            const RbfMoveOptions& options);
std::vector<infer::rj::Jump> collapsed_rbf_jumps(const SharedRbf& problem,
                                                 const RbfMoveOptions& options);

// The mean of y at a point: by a draw's coefficients, or over all coefficients given a draw's centres. x_k as
// above.
double full_prediction(const RbfProblem& problem, std::span<const double> x_k,
                       std::span<const double> at);
class CollapsedPredictor {
 public:
  explicit CollapsedPredictor(const SharedRbf& problem);
  void condition(std::span<const double> x_k);
  double operator()(std::span<const double> at);

 private:
  SharedRbf problem_;
  ConjugateRegression regression_;
  std::vector<double> centres_, row_, coefficients_;
};

}  // namespace credo::models
