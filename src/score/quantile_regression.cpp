// The dual is a linear program in a, 0 <= a <= 1 [koenker2005, ch. 6.4]:
//
//   min -y'a  subject to  X'a = (1 - γ) X'1;  the multipliers of the equations are -b.
//
//   s = 1 - a; z and w: multipliers of a >= 0 and s >= 0; the gap z'a + w's falls to 0.
#include "score/quantile_regression.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "numerics/linear_algebra/decompositions.hpp"
#include "score/scores.hpp"

namespace credo::score {
namespace {
using Values = std::vector<double>;
constexpr Index kMostIterations = 200;
constexpr double kStepShare = 0.9995;  // share of the way to the boundary

class InteriorPoint {
 public:
  InteriorPoint(std::span<const double> design, std::span<const double> outcomes, double level)
      : x_(design), y_(outcomes), n_(outcomes.size()), p_(design.size() / outcomes.size()) {
    a_.assign(n_, 1.0 - level), s_.assign(n_, level);
    multipliers_ = least_squares(Values(n_, 1.0), scaled(y_, -1.0));
    z_.resize(n_), w_.resize(n_);
    const Values fitted = times(multipliers_);
    for (std::size_t i = 0; i < n_; ++i) {
      double r = -y_[i] - fitted[i];
      if (r == 0.0) r = 0.001;
      z_[i] = std::max(r, 0.0), w_[i] = z_[i] - r;
    }
  }

  double gap() const {
    double sum = 0.0;
    for (std::size_t i = 0; i < n_; ++i) sum += z_[i] * a_[i] + w_[i] * s_[i];
    return sum;
  }

  void iterate() {
    Values q(n_), r(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      q[i] = 1.0 / (z_[i] / a_[i] + w_[i] / s_[i]);
      r[i] = z_[i] - w_[i];
    }
    Step step = step_of(q, r, Values(n_, 0.0), 0.0);  // towards the optimum
    const auto [primal, dual] = lengths(step);
    if (std::min(primal, dual) < 1.0) step = corrected(q, r, step, primal, dual);
    const auto [to_primal, to_dual] = lengths(step);
    for (std::size_t i = 0; i < n_; ++i) {
      a_[i] += to_primal * step.a[i], s_[i] -= to_primal * step.a[i];
      z_[i] += to_dual * step.z[i], w_[i] += to_dual * step.w[i];
    }
    for (std::size_t k = 0; k < p_; ++k) multipliers_[k] += to_dual * step.multipliers[k];
  }

  Values coefficients() const { return scaled(multipliers_, -1.0); }
  // The observations that are fitted exactly at the vertex: those furthest from both bounds.
  std::vector<std::size_t> basis() const {
    std::vector<std::size_t> order(n_);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(p_), order.end(),
                      [&](std::size_t i, std::size_t j) {
                        return std::min(a_[i], s_[i]) > std::min(a_[j], s_[j]);
                      });
    order.resize(p_);
    return order;
  }

 private:
  struct Step {
    Values a, z, w, multipliers;
  };

  static Values scaled(std::span<const double> values, double by) {
    Values out(values.begin(), values.end());
    for (double& value : out) value *= by;
    return out;
  }
  Values times(std::span<const double> b) const {
    Values out(n_, 0.0);
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t k = 0; k < p_; ++k) out[i] += x_[i * p_ + k] * b[k];
    return out;
  }
  // b that minimises Σ q (r - x b)².
  Values least_squares(const Values& q, const Values& r) const {
    Values normal(p_ * p_, 0.0), b(p_, 0.0), pivots(p_);
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t k = 0; k < p_; ++k) {
        const double x = q[i] * x_[i * p_ + k];
        b[k] += x * r[i];
        for (std::size_t l = 0; l < p_; ++l) normal[k * p_ + l] += x * x_[i * p_ + l];
      }
    const auto size = static_cast<Index>(p_);
    double largest = 0.0, least = kInfinity;
    numerics::lu_factor(size, normal.data(), pivots.data());
    for (std::size_t k = 0; k < p_; ++k) {
      largest = std::max(largest, std::abs(normal[k * p_ + k]));
      least = std::min(least, std::abs(normal[k * p_ + k]));
    }
    is_singular_ = !(least > 0.0) || !std::isfinite(largest);
    numerics::lu_solve({.n = size, .cols = 1}, normal.data(), pivots.data(), b.data());
    return b;
  }
  // `second`: the second-order part of a Mehrotra step; mu: where the products of the pairs are to go.
  Step step_of(const Values& q, const Values& r, const Values& second, double mu) const {
    Values aim(n_);
    for (std::size_t i = 0; i < n_; ++i)
      aim[i] = r[i] + second[i] - mu * (1.0 / a_[i] - 1.0 / s_[i]);
    Step step{Values(n_), Values(n_), Values(n_), least_squares(q, aim)};
    const Values along = times(step.multipliers);
    for (std::size_t i = 0; i < n_; ++i) {
      step.a[i] = q[i] * (along[i] - aim[i]);
      step.z[i] = -z_[i] * (1.0 + step.a[i] / a_[i]) + mu / a_[i];
      step.w[i] = -w_[i] * (1.0 - step.a[i] / s_[i]) + mu / s_[i];
    }
    return step;
  }
  Step corrected(const Values& q, const Values& r, const Step& affine, double primal,
                 double dual) const {
    double now = 0.0, then = 0.0;
    Values second(n_), of_a(n_), of_s(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      now += z_[i] * a_[i] + w_[i] * s_[i];
      then += (z_[i] + dual * affine.z[i]) * (a_[i] + primal * affine.a[i]) +
              (w_[i] + dual * affine.w[i]) * (s_[i] - primal * affine.a[i]);
      of_a[i] = affine.a[i] * affine.z[i] / a_[i], of_s[i] = -affine.a[i] * affine.w[i] / s_[i];
      second[i] = of_a[i] - of_s[i];
    }
    const double share = then / now;
    const double mu = now * share * share * share / (2.0 * static_cast<double>(n_));
    Step step = step_of(q, r, second, mu);
    for (std::size_t i = 0; i < n_; ++i) step.z[i] -= of_a[i], step.w[i] -= of_s[i];
    return step;
  }
  // How far a step may go in the primal and in the dual.
  std::pair<double, double> lengths(const Step& step) const {
    double primal = kInfinity, dual = kInfinity;
    const auto bound = [](double& length, double value, double change) {
      if (change < 0.0) length = std::min(length, -value / change);
    };
    for (std::size_t i = 0; i < n_; ++i) {
      bound(primal, a_[i], step.a[i]), bound(primal, s_[i], -step.a[i]);
      bound(dual, z_[i], step.z[i]), bound(dual, w_[i], step.w[i]);
    }
    return {std::min(1.0, kStepShare * primal), std::min(1.0, kStepShare * dual)};
  }

 public:
  bool is_singular() const { return is_singular_; }

 private:
  std::span<const double> x_, y_;
  std::size_t n_, p_;
  Values a_, s_, z_, w_, multipliers_;
  mutable bool is_singular_ = false;
};

double loss_of(std::span<const double> design, std::span<const double> outcomes,
               std::span<const double> b, double level) {
  double sum = 0.0;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    double fitted = 0.0;
    for (std::size_t k = 0; k < b.size(); ++k) fitted += design[i * b.size() + k] * b[k];
    sum += pinball_loss(level, fitted, outcomes[i]);
  }
  return sum;
}

// The coefficients that fit these observations exactly; NaN where they don't determine them.
Values through(std::span<const double> design, std::span<const double> outcomes,
               std::span<const std::size_t> basis) {
  const std::size_t p = basis.size();
  Values matrix(p * p), b(p), pivots(p);
  for (std::size_t j = 0; j < p; ++j) {
    b[j] = outcomes[basis[j]];
    for (std::size_t k = 0; k < p; ++k) matrix[k * p + j] = design[basis[j] * p + k];
  }
  const auto size = static_cast<Index>(p);
  numerics::lu_factor(size, matrix.data(), pivots.data());
  numerics::lu_solve({.n = size, .cols = 1}, matrix.data(), pivots.data(), b.data());
  return b;
}
}  // namespace

QuantileFit fit_quantile_regression(std::span<const double> design,
                                    std::span<const double> outcomes, double level) {
  CREDO_ASSERT(!outcomes.empty() && design.size() % outcomes.size() == 0, "a row an outcome");
  if (design.size() / outcomes.size() > outcomes.size())
    throw Error(
        ErrorCode::data,
        fmt::format("{} coefficients of {} rows", design.size() / outcomes.size(), outcomes.size()),
        "quantile regression", "give more rows, or fewer covariates");
  InteriorPoint point(design, outcomes, level);
  const auto require_rank = [&] {
    if (point.is_singular())
      throw Error(ErrorCode::data, "the covariates depend on each other", "quantile regression",
                  "leave out those that are sums or multiples of others");
  };
  require_rank();
  QuantileFit fit;
  const double scale = 1.0 + loss_of(design, outcomes, point.coefficients(), level);
  while (point.gap() > 1e-12 * scale && fit.num_iterations < kMostIterations) {
    const InteriorPoint before = point;
    point.iterate();
    ++fit.num_iterations;
    if (!std::isfinite(point.gap()) || point.is_singular()) {  // limit of rounding
      point = before;
      break;
    }
  }
  fit.coefficients = point.coefficients(), fit.gap = point.gap();
  fit.loss = loss_of(design, outcomes, fit.coefficients, level);
  const std::vector<std::size_t> basis = point.basis();
  const Values vertex = through(design, outcomes, basis);
  if (const double loss = loss_of(design, outcomes, vertex, level); loss <= fit.loss) {
    fit.gap = std::max(0.0, fit.gap - (fit.loss - loss));
    fit.coefficients = vertex, fit.loss = loss;
  }
  if (!(fit.gap <= 1e-6 * scale))
    throw Error(
        ErrorCode::data,
        fmt::format("the covariates depend on each other, nearly: the loss is known to {} only",
                    fit.gap),
        "quantile regression", "scale them, or leave some out");
  return fit;
}

}  // namespace credo::score
