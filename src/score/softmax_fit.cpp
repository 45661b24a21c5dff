#include "score/softmax_fit.hpp"

#include "numerics/elementary.hpp"
#include "numerics/linear_algebra/decompositions.hpp"
#include "score/predictions.hpp"

namespace credo::score {
namespace {
constexpr Index kMostSteps = 200;
constexpr double kStepTolerance =
    1e-9;  // relative: Newton steps square it, so the last one is exact

// Loss, gradient and Hessian at a point.
class Curve {
 public:
  explicit Curve(const SoftmaxProblem& problem)
      : problem_(problem),
        design_(static_cast<std::size_t>(problem.num_classes * problem.num_parameters)) {}

  double loss_at(std::span<const double> theta) {
    double sum = 0.0;
    for (Index i = 0; i < problem_.num_rows; ++i) {
      const std::vector<double> logs = logs_of(i, theta);
      const std::span<const double> target = problem_.target(i);
      for (std::size_t k = 0; k < logs.size(); ++k)
        if (target[k] > 0.0) sum -= target[k] * logs[k];
    }
    return sum / static_cast<double>(problem_.num_rows) + penalty(theta);
  }

  void expand_at(std::span<const double> theta) {
    const std::size_t p = theta.size();
    gradient.assign(p, 0.0), hessian.assign(p * p, 0.0);
    for (Index i = 0; i < problem_.num_rows; ++i) add_row(i, theta);
    const double share = 1.0 / static_cast<double>(problem_.num_rows);
    for (double& x : gradient) x *= share;
    for (double& x : hessian) x *= share;
    for (std::size_t a = 0; a < p; ++a) {
      gradient[a] += problem_.ridge * (theta[a] - problem_.start[a]);
      hessian[a * p + a] += problem_.ridge;
    }
  }
  // H⁻¹ g; nothing where H is singular.
  std::optional<std::vector<double>> newton_step() {
    std::vector<double> step = gradient, pivots(gradient.size());
    const Index p = ssize(gradient);
    numerics::lu_factor(p, hessian.data(), pivots.data());
    double least = kInfinity, largest = 0.0;
    for (Index a = 0; a < p; ++a) {
      const double pivot = std::abs(hessian[static_cast<std::size_t>(a * p + a)]);
      least = std::min(least, pivot), largest = std::max(largest, pivot);
    }
    if (!(least > 1e-14 * largest) || !(largest > 1e-200)) return std::nullopt;
    numerics::lu_solve({.n = p, .cols = 1}, hessian.data(), pivots.data(), step.data());
    return step;
  }

  std::vector<double> gradient, hessian;

 private:
  std::vector<double> logs_of(Index row, std::span<const double> theta) {
    problem_.design(row, design_);
    std::vector<double> logits(static_cast<std::size_t>(problem_.num_classes), 0.0);
    for (std::size_t k = 0; k < logits.size(); ++k)
      for (std::size_t a = 0; a < theta.size(); ++a)
        logits[k] += design_[k * theta.size() + a] * theta[a];
    return log_softmax(logits);
  }
  void add_row(Index row, std::span<const double> theta) {
    const std::vector<double> logs = logs_of(row, theta);
    const std::span<const double> target = problem_.target(row);
    const std::size_t p = theta.size();
    std::vector<double> mean(p, 0.0);  // Σ_k p_k F_k
    for (std::size_t k = 0; k < logs.size(); ++k) {
      const double q = numerics::exp(logs[k]);
      const std::span<const double> f = std::span(design_).subspan(k * p, p);
      for (std::size_t a = 0; a < p; ++a) {
        mean[a] += q * f[a];
        gradient[a] += (q - target[k]) * f[a];
        for (std::size_t b = 0; b < p; ++b) hessian[a * p + b] += q * f[a] * f[b];
      }
    }
    for (std::size_t a = 0; a < p; ++a)
      for (std::size_t b = 0; b < p; ++b) hessian[a * p + b] -= mean[a] * mean[b];
  }
  double penalty(std::span<const double> theta) const {
    double sum = 0.0;
    for (std::size_t a = 0; a < theta.size(); ++a)
      sum += (theta[a] - problem_.start[a]) * (theta[a] - problem_.start[a]);
    return 0.5 * problem_.ridge * sum;
  }

  const SoftmaxProblem& problem_;
  std::vector<double> design_;
};

// Moves theta by the step, halved until the loss falls; returns the size of the step relative to theta.
double move(Curve& curve, std::vector<double>& theta, std::span<const double> step, double& loss) {
  std::vector<double> to(theta);
  for (double part = 1.0; part > 1e-12; part *= 0.5) {
    double size = 0.0;
    for (std::size_t a = 0; a < to.size(); ++a) {
      to[a] = theta[a] - part * step[a];
      size = std::max(size, std::abs(part * step[a]) / (1.0 + std::abs(theta[a])));
    }
    const double next = curve.loss_at(to);
    if (next <= loss || size < kStepTolerance) {
      theta = to, loss = std::min(next, loss);
      return size;
    }
  }
  return 0.0;
}
}  // namespace

SoftmaxFit fit_softmax(const SoftmaxProblem& problem) {
  SoftmaxFit fit{.parameters = problem.start};
  Curve curve(problem);
  fit.loss = curve.loss_at(fit.parameters);
  while (fit.num_iterations < kMostSteps && !fit.converged) {
    curve.expand_at(fit.parameters);
    const auto step = curve.newton_step();
    if (!step) return fit;
    fit.converged = move(curve, fit.parameters, *step, fit.loss) < kStepTolerance;
    ++fit.num_iterations;
  }
  return fit;
}

}  // namespace credo::score
