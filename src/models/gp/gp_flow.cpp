#include "models/gp/gp_flow.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace credo::models {
namespace {
constexpr Index kMostFlowRows = 2000;

// (1 - exp(-t v)) / v
double flowed(double t, double v, double least) {
  if (v > least) return -std::expm1(-t * v) / v;
  return std::isinf(t) ? 0.0 : t;
}
}  // namespace

GpFlow flow_of(const GpTable& table, std::span<const double> theta, const GpPoints& points,
               std::span<const double> times) {
  const GpProblem& p = table.problem;
  const Index n = p.num_rows(), num = points.count(), q = p.mean_columns.cols;
  if (n > kMostFlowRows)
    throw Error(ErrorCode::usage, fmt::format("eigenvalues of {} rows take too long", n), "--flow",
                fmt::format("at most {} rows", kMostFlowRows));
  for (const double t : times)
    if (!(t >= 0.0))
      throw Error(ErrorCode::usage, fmt::format("a time of training is {}", t), "--flow",
                  "times are at least 0");
  Covariance::Work work;
  numerics::DenseMatrix gram(n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; j += Covariance::kMostAtOnce)
      p.covariance.values(p.covariance.root(), theta, p.x, i, p.x, j,
                          std::min(Covariance::kMostAtOnce, n - j), &gram(j, i), work);
  const numerics::SymmetricEigen eigen(std::move(gram));
  const double least = 1e-12 * eigen.values.back();
  const std::vector<double> beta =
      q > 0 ? make_exact_solver(p)->posterior(theta)->coefficients() : std::vector<double>{};
  std::vector<double> residual = p.y;
  for (Index i = 0; i < n; ++i)
    for (Index c = 0; c < q; ++c)
      residual[static_cast<std::size_t>(i)] -=
          p.mean_columns(i, c) * beta[static_cast<std::size_t>(c)];
  const CovariancePoints at = p.covariance.points(points.columns);
  GpFlow made{.times = {times.begin(), times.end()},
              .mean = numerics::DenseMatrix(num, ssize(times))};
  for (Index t = 0; t < ssize(times); ++t) {
    std::vector<double> weights(static_cast<std::size_t>(n), 0.0);
    double loss = 0.0;
    for (std::size_t e = 0; e < eigen.size(); ++e) {
      const auto vector = eigen.vector(e);
      const double turned =
          std::inner_product(residual.begin(), residual.end(), vector.begin(), 0.0);
      const double factor = flowed(times[static_cast<std::size_t>(t)], eigen.values[e], least);
      const double left = turned * (1.0 - std::max(0.0, eigen.values[e]) * factor);
      loss += left * left;
      for (std::size_t i = 0; i < weights.size(); ++i) weights[i] += factor * turned * vector[i];
    }
    made.loss.push_back(loss);
    std::vector<double> k(static_cast<std::size_t>(n));
    for (Index j = 0; j < num; ++j) {
      for (Index i = 0; i < n; i += Covariance::kMostAtOnce)
        p.covariance.values(p.covariance.root(), theta, at, j, p.x, i,
                            std::min(Covariance::kMostAtOnce, n - i), k.data() + i, work);
      double mean = table.centre + std::inner_product(k.begin(), k.end(), weights.begin(), 0.0);
      for (Index c = 0; c < q; ++c)
        mean += points.mean_columns(j, c) * beta[static_cast<std::size_t>(c)];
      made.mean(j, t) = mean;
    }
  }
  return made;
}

}  // namespace credo::models
