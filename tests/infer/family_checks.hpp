// Checks of families of distributions and of maps against differences: their gradients, and the log determinants of their Jacobians.
#pragma once
#include "base/rng.hpp"
#include "infer/known_posteriors.hpp"
#include "infer/maps/graph_map.hpp"
#include "infer/variational/families/distribution_family.hpp"
#include "numerics/linear_algebra/decompositions.hpp"

namespace credo::testing {

inline std::vector<double> family_normals(std::uint64_t seed, std::size_t count,
                                          std::uint32_t number) {
  Rng rng({.seed = test_seed(seed), .purpose = purpose::kTest, .chain = number, .iteration = 0});
  std::vector<double> z(count);
  for (double& v : z) v = rng.normal();
  return z;
}

// Parameters that are off by `scale` normal variates.
inline std::vector<double> moved_by(std::vector<double> at, double scale,
                                    std::span<const double> variates) {
  for (std::size_t k = 0; k < at.size(); ++k) at[k] += scale * variates[k];
  return at;
}

// Central differences of steps of 1e-5 have errors of 1e-10 times third derivatives, and 1e-11 of rounding.
inline constexpr double kDifferenceStep = 1e-5;

// Largest error of a gradient against central differences, relative to 1 + its size.
inline double error_against_differences(std::span<const double> at,
                                        std::span<const double> gradient,
                                        const std::function<double(std::span<const double>)>& f) {
  double worst = 0.0;
  for (std::size_t k = 0; k < at.size(); ++k) {
    std::vector<double> up(at.begin(), at.end()), down = up;
    up[k] += kDifferenceStep, down[k] -= kDifferenceStep;
    const double slope = (f(up) - f(down)) / (2.0 * kDifferenceStep);
    worst = std::max(worst, std::abs(slope - gradient[k]) / (1.0 + std::abs(slope)));
  }
  return worst;
}

// Σ_s [v_s · x_s - w_s log q(x_s)] of draws of a family at parameters, of which pull_back_draws() has the gradient.
inline double weighed_draws(infer::DistributionFamily& family, std::span<const double> parameters,
                            std::span<const double> z, std::span<const double> v,
                            std::span<const double> w) {
  family.move_to(parameters);
  std::vector<double> x(v.size()), log_q(w.size());
  family.place_draws(z, x, log_q);
  double sum = std::inner_product(v.begin(), v.end(), x.begin(), 0.0);
  for (std::size_t s = 0; s < w.size(); ++s) sum -= w[s] * log_q[s];
  return sum;
}

// Error of pull_back_draws() at parameters, for these draws.
inline double error_of_pull_back(infer::DistributionFamily& family, std::span<const double> at,
                                 std::span<const double> z, std::span<const double> v,
                                 std::span<const double> w) {
  family.move_to(at);
  std::vector<double> gradient(at.size(), 0.0);
  family.pull_back_draws(z, v, w, gradient);
  return error_against_differences(at, gradient, [&](std::span<const double> parameters) {
    return weighed_draws(family, parameters, z, v, w);
  });
}

inline double log_abs_determinant(std::vector<double> matrix, Index n) {
  std::vector<double> pivots(static_cast<std::size_t>(n));
  numerics::lu_factor(n, matrix.data(), pivots.data());
  double sum = 0.0;
  for (Index k = 0; k < n; ++k)
    sum += std::log(std::abs(matrix[static_cast<std::size_t>(k * (n + 1))]));
  return sum;
}

// log N(z) less the log determinant of the differences of the draws: log q by its definition, of a family with as many variates as values.
inline double log_q_by_differences(infer::DistributionFamily& family, std::span<const double> z) {
  const std::size_t n = z.size();
  std::vector<double> jacobian, up(n), down(n);
  double unused = 0.0, square = 0.0;
  for (std::size_t k = 0; k < n; ++k) {
    std::vector<double> shifted(z.begin(), z.end());
    shifted[k] = z[k] + kDifferenceStep;
    family.place_draws(shifted, up, std::span(&unused, 1));
    shifted[k] = z[k] - kDifferenceStep;
    family.place_draws(shifted, down, std::span(&unused, 1));
    for (std::size_t d = 0; d < n; ++d)
      jacobian.push_back((up[d] - down[d]) / (2.0 * kDifferenceStep));
    square += z[k] * z[k];
  }
  return -0.5 * square - static_cast<double>(n) * kLogRootTwoPi -
         log_abs_determinant(jacobian, static_cast<Index>(n));
}

// Largest error of log q at ten draws.
inline double largest_error_of_log_q(infer::DistributionFamily& family, std::uint64_t seed,
                                     std::uint32_t number) {
  double worst = 0.0;
  for (std::uint32_t k = 0; k < 10; ++k) {
    const std::vector<double> z =
        family_normals(seed, static_cast<std::size_t>(family.num_base()), number + k);
    std::vector<double> x(z.size());
    double log_q = 0.0;
    family.place_draws(z, x, std::span(&log_q, 1));
    worst = std::max(worst, std::abs(log_q - log_q_by_differences(family, z)));
  }
  return worst;
}

// A map with a fault.
class FaultyMap final : public infer::GraphMap {
 public:
  enum class Fault { none, no_jacobian, other_sign, sees_itself };
  FaultyMap(std::shared_ptr<const infer::GraphMap> of, Fault fault)
      : of_(std::move(of)), fault_(fault) {}
  Index dimension() const override { return of_->dimension(); }
  Index num_parameters() const override { return of_->num_parameters(); }
  std::vector<double> start() const override { return of_->start(); }
  graph::Expr forward(const graph::Expr& parameters, const graph::Expr& z,
                      graph::Expr& log_jacobian) const override {
    graph::Expr own = 0.0;
    const graph::Expr x = of_->forward(parameters, z, own);
    if (fault_ == Fault::none || fault_ == Fault::sees_itself) log_jacobian = log_jacobian + own;
    if (fault_ == Fault::other_sign) log_jacobian = log_jacobian - own;
    if (fault_ != Fault::sees_itself) return x;
    return x + 0.1 * graph::tanh(x);  // as a mask that lets a value see itself
  }

 private:
  std::shared_ptr<const infer::GraphMap> of_;
  Fault fault_;
};

}  // namespace credo::testing
