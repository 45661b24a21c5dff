// Maximum likelihood of class probabilities softmax(F_i θ) for designs F_i: a convex problem, by Newton steps.
#pragma once
#include "base/types.hpp"

namespace credo::score {

struct SoftmaxProblem {
  Index num_rows = 0, num_classes = 0, num_parameters = 0;
  std::function<void(Index row, std::span<double> design)> design;  // K × P, row by row
  std::function<std::span<const double>(Index row)> target;         // K weights that add up to 1
  std::vector<double> start;  // P; what a penalty draws towards
  double ridge = 0.0;         // half of it times |θ - start|² is added to the mean loss
};

// The mean of -Σ_k t_k log softmax_k, least.
struct SoftmaxFit {
  std::vector<double> parameters;
  double loss = kNaN;
  Index num_iterations = 0;
  bool converged = false;  // false: no finite parameters are best, or they aren't determined
};
SoftmaxFit fit_softmax(const SoftmaxProblem& problem);

}  // namespace credo::score
