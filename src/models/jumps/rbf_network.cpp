// The full form: coordinates (t = log s, b_0, b, (mu_j, a_j) ...), r = y - f.
//
//   log p = -N t - |r|^2 / (2 s^2) - N/2 log 2 pi
//           + sum_c [-log(scale_c) - t - c^2 / (2 scale_c^2 s^2) - 1/2 log 2 pi]   coefficients c
//           + sum_mu log N(mu | mean, sd)
//           + shape log rate - lgamma(shape) - (shape + 1) 2 t - rate / s^2 + log 2 + 2 t
#include "models/jumps/rbf_network.hpp"

#include <fmt/format.h>

#include "infer/jumps/workspace_density.hpp"
#include "numerics/elementary.hpp"
#include "numerics/special.hpp"

namespace credo::models {
using infer::KernelMaker;
using infer::rj::ComponentLayout;
using infer::rj::Family;
using infer::rj::make_workspace_density;
using infer::rj::Model;
namespace {
constexpr double kHalfLog2Pi = 0.91893853320467274178;
constexpr double kLog2 = 0.69314718055994530942;

double squared_distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

// One evaluation; writes to arrays that live as long as the evaluator.
class FullRbf {
 public:
  FullRbf(const RbfProblem& problem, Index num_centres)
      : p_(problem),
        layout_(problem.full_layout()),
        k_(num_centres),
        d_(problem.num_inputs),
        basis_(static_cast<std::size_t>(num_centres)) {}

  double operator()(std::span<const double> x, std::span<double> gradient) {
    std::fill(gradient.begin(), gradient.end(), 0.0);
    const double log_sd = x[0], precision = numerics::exp(-2.0 * log_sd);
    const double squares = add_residuals(x, precision, gradient);
    const auto n = static_cast<double>(p_.num_points());
    double sum = -n * (log_sd + kHalfLog2Pi) - 0.5 * precision * squares;
    gradient[0] += -n + precision * squares;
    for (Index c = 0; c <= d_; ++c) sum += add_coefficient(x, 1 + c, p_.line_scale, gradient);
    for (Index j = 0; j < k_; ++j) {
      sum += add_coefficient(x, layout_.begin(j) + d_, p_.bump_scale, gradient);
      sum += add_centre(x, layout_.begin(j), gradient);
    }
    const NoisePrior& noise = p_.noise;
    gradient[0] += -2.0 * noise.shape + 2.0 * noise.rate * precision;
    return sum + noise.shape * numerics::log(noise.rate) - numerics::lgamma(noise.shape) -
           2.0 * noise.shape * log_sd - noise.rate * precision + kLog2;
  }

 private:
  static double& at(std::span<double> x, Index i) { return x[static_cast<std::size_t>(i)]; }
  static double at(std::span<const double> x, Index i) { return x[static_cast<std::size_t>(i)]; }

  // |y - f|^2, and its part of the gradient of the log likelihood.
  double add_residuals(std::span<const double> x, double precision, std::span<double> gradient) {
    double squares = 0.0;
    for (Index i = 0; i < p_.num_points(); ++i) {
      const std::span<const double> point = p_.point(i);
      double fit = at(x, 1);
      for (Index l = 0; l < d_; ++l) fit += at(x, 2 + l) * at(point, l);
      for (Index j = 0; j < k_; ++j) {
        const auto component = layout_.component(x, j);
        basis_[static_cast<std::size_t>(j)] =
            p_.basis(point, component.first(static_cast<std::size_t>(d_)));
        fit += component.back() * basis_[static_cast<std::size_t>(j)];
      }
      const double residual = p_.y[static_cast<std::size_t>(i)] - fit;
      squares += residual * residual;
      add_slopes(x, point, precision * residual, gradient);
    }
    return squares;
  }

  void add_slopes(std::span<const double> x, std::span<const double> point, double weight,
                  std::span<double> gradient) const {
    at(gradient, 1) += weight;
    for (Index l = 0; l < d_; ++l) at(gradient, 2 + l) += weight * at(point, l);
    const double curvature = 1.0 / (p_.width * p_.width);
    for (Index j = 0; j < k_; ++j) {
      const Index begin = layout_.begin(j);
      const double value = weight * basis_[static_cast<std::size_t>(j)];
      at(gradient, begin + d_) += value;
      const double slope = value * at(x, begin + d_) * curvature;
      for (Index l = 0; l < d_; ++l)
        at(gradient, begin + l) += slope * (at(point, l) - at(x, begin + l));
    }
  }

  static double add_coefficient(std::span<const double> x, Index place, double scale,
                                std::span<double> gradient) {
    const double log_sd = x[0], z = at(x, place) * numerics::exp(-log_sd) / scale;
    at(gradient, place) -= z * numerics::exp(-log_sd) / scale;
    gradient[0] += z * z - 1.0;
    return -kHalfLog2Pi - numerics::log(scale) - log_sd - 0.5 * z * z;
  }

  double add_centre(std::span<const double> x, Index begin, std::span<double> gradient) const {
    double sum = 0.0;
    for (Index l = 0; l < d_; ++l) {
      const double z = (at(x, begin + l) - p_.centre_mean) / p_.centre_sd;
      at(gradient, begin + l) -= z / p_.centre_sd;
      sum += -kHalfLog2Pi - numerics::log(p_.centre_sd) - 0.5 * z * z;
    }
    return sum;
  }

  const RbfProblem& p_;
  ComponentLayout layout_;
  Index k_, d_;
  std::vector<double> basis_;
};

void refuse(const std::string& message, const std::string& where) {
  throw Error(ErrorCode::data, message, where);
}

void check_positive(std::string_view name, double value) {
  if (!(value > 0.0) || !std::isfinite(value))
    refuse(fmt::format("{} must be positive and finite, is {}", name, value), "rbf");
}
}  // namespace

SharedRbf make_rbf(RbfProblem problem) {
  if (problem.num_inputs < 1 || problem.num_inputs > kMostInputs)
    refuse(fmt::format("points have 1 to {} coordinates, not {}", kMostInputs, problem.num_inputs),
           "rbf");
  if (ssize(problem.x) != problem.num_inputs * problem.num_points())
    refuse(fmt::format("{} inputs of {} points of {} coordinates", problem.x.size(),
                       problem.num_points(), problem.num_inputs),
           "rbf");
  for (const std::vector<double>* values : {&problem.x, &problem.y})
    for (const double value : *values)
      if (!std::isfinite(value)) refuse(fmt::format("data must be finite, found {}", value), "rbf");
  if (problem.max_centres < 0)
    refuse(fmt::format("max_centres must be at least 0, is {}", problem.max_centres), "rbf");
  check_positive("width", problem.width);
  check_positive("expected_centres", problem.expected_centres);
  check_positive("centre_sd", problem.centre_sd);
  check_positive("bump_scale", problem.bump_scale);
  check_positive("line_scale", problem.line_scale);
  check_positive("noise.shape", problem.noise.shape);
  check_positive("noise.rate", problem.noise.rate);
  return std::make_shared<const RbfProblem>(std::move(problem));
}

double RbfProblem::basis(std::span<const double> at, std::span<const double> centre) const {
  return numerics::exp(-0.5 * squared_distance(at, centre) / (width * width));
}

std::vector<double> RbfProblem::log_prior_of_number() const {
  std::vector<double> log_prior;
  double log_sum = -kInfinity;
  for (Index k = 0; k <= max_centres; ++k) {
    const auto number = static_cast<double>(k);
    log_prior.push_back(number * numerics::log(expected_centres) - numerics::lgamma(number + 1.0));
    log_sum = numerics::log_sum_exp(log_sum, log_prior.back());
  }
  for (double& value : log_prior) value -= log_sum;
  return log_prior;
}

std::shared_ptr<const density::LogDensity> full_rbf(const SharedRbf& problem, Index num_centres) {
  return make_workspace_density(problem->full_layout().begin(num_centres), true,
                                [=] { return FullRbf(*problem, num_centres); });
}

namespace {
template <class Make>
Family family_of(const SharedRbf& problem, const KernelMaker& update, const Make& make) {
  const std::vector<double> log_prior = problem->log_prior_of_number();
  std::vector<Model> models;
  for (Index k = 0; k <= problem->max_centres; ++k)
    models.push_back({.name = fmt::format("{} centres", k),
                      .density = make(problem, k),
                      .log_prior = log_prior[static_cast<std::size_t>(k)],
                      .update = update});
  return Family(std::move(models));
}
}  // namespace

Family full_family(const SharedRbf& problem, const KernelMaker& update) {
  return family_of(problem, update, full_rbf);
}
Family collapsed_family(const SharedRbf& problem, const KernelMaker& update) {
  return family_of(problem, update, collapsed_rbf);
}

double full_prediction(const RbfProblem& problem, std::span<const double> x_k,
                       std::span<const double> at) {
  const ComponentLayout layout = problem.full_layout();
  double fit = x_k[1];
  for (std::size_t l = 0; l < at.size(); ++l) fit += x_k[2 + l] * at[l];
  for (Index j = 0; j < layout.count(x_k); ++j) {
    const auto component = layout.component(x_k, j);
    fit += component.back() * problem.basis(at, component.first(at.size()));
  }
  return fit;
}

}  // namespace credo::models
