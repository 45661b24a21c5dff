// Orthant-wise limited-memory quasi-Newton steps [andrew2007] for F(x) = f(x) - rate Σ |x_d|:
//
//   1. pseudo-gradient: the derivative of F; at 0 that of the steeper side, or 0 if neither side climbs
//   2. direction by L-BFGS from gradients of f, without components whose sign differs from the pseudo-gradient's
//   3. a backtracking search; points that leave the orthant (signs of x, at 0 of the pseudo-gradient) are projected to 0
#include "infer/core/vectors.hpp"
#include "infer/optimise/lbfgs.hpp"
#include "models/fields/label_fit.hpp"

namespace credo::models {
namespace {
double penalised(double smooth, std::span<const double> x, double rate) {
  double sum = 0.0;
  for (const double w : x) sum += std::abs(w);
  return smooth - rate * sum;
}

std::vector<double> pseudo_gradient(std::span<const double> x, std::span<const double> gradient,
                                    double rate) {
  std::vector<double> made(x.size());
  for (std::size_t d = 0; d < x.size(); ++d) {
    const double g = gradient[d];
    if (x[d] != 0.0)
      made[d] = g - std::copysign(rate, x[d]);
    else
      made[d] = g > rate ? g - rate : g < -rate ? g + rate : 0.0;
  }
  return made;
}

double largest_of(std::span<const double> values) {
  double largest = 0.0;
  for (const double x : values) largest = std::max(largest, std::abs(x));
  return largest;
}

class SparseSearch {
 public:
  SparseSearch(const SmoothFunction& smooth, std::vector<double> start,
               const SparseClimbOptions& options)
      : smooth_(smooth),
        options_(options),
        matrix_{.history = options.history, .first = options.variances} {
    here_ = infer::make_point(ssize(start), true);
    there_ = here_;
    here_.position = std::move(start);
    evaluate(here_);
  }

  SparseClimb run() {
    for (;;) {
      const std::vector<double> slope =
          pseudo_gradient(here_.position, here_.gradient, options_.rate);
      const double size = largest_of(slope);
      if (options_.on_iteration && made_.num_iterations > 0)
        options_.on_iteration(made_.num_iterations, here_.log_density, size);
      made_.has_converged = size <= options_.tolerance * (1.0 + std::abs(here_.log_density));
      if (made_.has_converged || made_.num_iterations >= options_.max_iterations || !step(slope))
        break;
      matrix_.learn(here_, there_);
      std::swap(here_, there_);
      ++made_.num_iterations;
    }
    made_.position = here_.position;
    made_.value = here_.log_density;
    return made_;
  }

 private:
  // log_density is F, the gradient that of f alone.
  void evaluate(infer::PointState& at) {
    at.log_density = penalised(smooth_(at.position, at.gradient), at.position, options_.rate);
    ++made_.num_evaluations;
  }
  bool step(const std::vector<double>& slope) {
    constexpr double kArmijo = 1e-4, kSmallest = 1e-12;
    std::vector<double> uphill = matrix_.direction(slope);
    for (std::size_t d = 0; d < uphill.size(); ++d)
      if (options_.rate > 0.0 && uphill[d] * slope[d] <= 0.0) uphill[d] = 0.0;
    const double first =
        matrix_.knows() ? 1.0 : std::min(1.0, 1.0 / std::sqrt(infer::dot(slope, slope)));
    for (double length = first; length > kSmallest; length *= 0.5) {
      double rise = 0.0;
      for (std::size_t d = 0; d < uphill.size(); ++d) {
        const double x = here_.position[d], orthant = x != 0.0 ? x : slope[d];
        const double next = x + length * uphill[d];
        there_.position[d] = options_.rate == 0.0 || next * orthant > 0.0 ? next : 0.0;
        rise += slope[d] * (there_.position[d] - x);
      }
      evaluate(there_);
      if (rise > 0.0 && there_.log_density >= here_.log_density + kArmijo * rise) return true;
    }
    return false;
  }

  const SmoothFunction& smooth_;
  const SparseClimbOptions& options_;
  infer::QuasiNewton matrix_;
  infer::PointState here_, there_;
  SparseClimb made_;
};
}  // namespace

SparseClimb climb_sparsely(const SmoothFunction& smooth, std::vector<double> start,
                           const SparseClimbOptions& options) {
  return SparseSearch(smooth, std::move(start), options).run();
}

}  // namespace credo::models
