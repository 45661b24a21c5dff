// Weights of a field at the largest posterior density, with a normal or a Laplace prior; and the normal approximation there.
#pragma once
#include "models/fields/likelihood.hpp"

namespace credo::models {

// Prior of each weight, independently.
struct WeightPrior {
  bool is_laplace = false;
  double scale = 1.0;  // standard deviation, or scale b of exp(-|w| / b) / (2 b)
  std::string text() const;
};
// "normal(2)", "laplace(0.5)". Throws Error(usage).
WeightPrior parse_weight_prior(const std::string& text);

struct LabelFitOptions {
  WeightPrior prior = {};
  Index max_iterations = 1000;
  Index num_threads = 0;
  bool is_laplace = false;  // with the normal approximation at the mode
  std::function<void(Index iteration, double log_posterior, double gradient)> on_iteration =
      nullptr;
};

struct LabelFit {
  std::vector<double> weights;
  double log_likelihood = 0.0, log_posterior = 0.0;
  Index num_iterations = 0, num_evaluations = 0;
  bool has_converged = false;
  Index num_zero = 0;                   // weights that are exactly 0, of a Laplace prior
  std::vector<double> covariance = {};  // D × D, of the normal approximation
  std::string engine_words;
};

// The largest number of weights for which the normal approximation is computed.
inline constexpr Index kMostApproximated = 1000;

LabelFit fit_labels(const LabelModel& model, const LabelData& data, const LabelFitOptions& options);

// Largest point of f(x) - Σ rate |x_d| by limited-memory quasi-Newton steps, within orthants if rate > 0 [andrew2007]. `smooth` returns f and
// writes its gradient. Coordinates that the penalty holds are exactly 0.
struct SparseClimb {
  std::vector<double> position;
  double value = 0.0;
  Index num_iterations = 0, num_evaluations = 0;
  bool has_converged = false;
};
struct SparseClimbOptions {
  double rate = 1.0;
  Index max_iterations = 1000, history = 5;
  std::vector<double> variances =
      {};  // first guess of the inverse curvature of f by coordinates; empty: a multiple of 1
  double tolerance =
      1e-8;  // bound of the largest component of the pseudo-gradient, relative to 1 + |value|
  std::function<void(Index iteration, double value, double gradient)> on_iteration = nullptr;
};
using SmoothFunction = std::function<double(std::span<const double> x, std::span<double> gradient)>;
SparseClimb climb_sparsely(const SmoothFunction& smooth, std::vector<double> start,
                           const SparseClimbOptions& options);

}  // namespace credo::models
