// In a normal distribution with mean m and precision P, t given f has the precision P_tt, and t - E[t | f] = P_tt⁻¹ g
// with g = [P (x - m)]_t, x = (t, f):
//
//   log w(t | f) = -½ gᵀ P_tt⁻¹ g + ½ log |P_tt| - ½ T log 2π - log P(χ²_T < 2 T),   gᵀ P_tt⁻¹ g < 2 T; else 0
//
// It is cut there so that w / p stays bounded where a tail of p is thinner than a normal one, as that of the logarithm of a scale.
#include "infer/evidence/point_density.hpp"

#include <fmt/format.h>

#include "diagnose/weights.hpp"
#include "infer/adapt/welford.hpp"
#include "infer/evidence/points.hpp"
#include "infer/gibbs/site_sweep.hpp"
#include "numerics/elementary.hpp"
#include "numerics/incomplete_gamma.hpp"
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::infer {
namespace {
constexpr double kLogOfTwoPi = 1.8378770664093454836;

// A symmetric positive definite matrix by its eigenvectors: its inverse, and log determinant.
struct Inverted {
  std::vector<double> inverse;
  double log_determinant = 0.0;
};
Inverted inverted(std::vector<double> matrix, std::size_t n) {
  const auto size = static_cast<Index>(n);
  const numerics::SymmetricEigen eigen({size, size, std::move(matrix)});
  if (n > 0 && !(eigen.values.front() > 0.0))
    throw Error(ErrorCode::evaluation,
                "the draws have no covariance: in some direction they don't vary",
                "density at a point", "draw more");
  Inverted found{eigen.inverse().values};
  for (const double value : eigen.values) found.log_determinant += numerics::log(value);
  return found;
}

// The conditional distribution w, from the first half of each chain.
class ConditionalNormal {
 public:
  ConditionalNormal(const density::Draws& draws, Index num_fitted,
                    std::span<const FixedCoordinate> point)
      : dimension_(static_cast<std::size_t>(draws.num_quantities())) {
    Welford moments(MetricKind::dense, draws.num_quantities());
    std::vector<double> row(dimension_);
    for (Index c = 0; c < draws.num_chains(); ++c)
      for (Index s = 0; s < num_fitted; ++s) {
        draws.get(s, c, row);
        moments.add(row);
      }
    mean_.assign(moments.mean().begin(), moments.mean().end());
    const std::span<const double> covariance = moments.with_jitter(0.0);
    precision_ = inverted({covariance.begin(), covariance.end()}, dimension_).inverse;
    for (const FixedCoordinate& fixed : point)
      coordinates_.push_back(static_cast<std::size_t>(fixed.coordinate));
    std::vector<double> block;
    for (const std::size_t i : coordinates_)
      for (const std::size_t j : coordinates_) block.push_back(precision_[i * dimension_ + j]);
    block_ = inverted(block, coordinates_.size());
    const auto count = static_cast<double>(coordinates_.size());
    log_mass_ = numerics::log_gamma_p(0.5 * count, count);  // log P(χ²_T < 2 T)
  }

  double log_density(std::span<const double> x) const {
    const std::size_t n = coordinates_.size();
    std::vector<double> g(n, 0.0);
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t d = 0; d < dimension_; ++d)
        g[k] += precision_[coordinates_[k] * dimension_ + d] * (x[d] - mean_[d]);
    double square = 0.0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) square += g[i] * block_.inverse[i * n + j] * g[j];
    if (square > 2.0 * static_cast<double>(n)) return -kInfinity;
    return -log_mass_ +
           0.5 * (block_.log_determinant - square - static_cast<double>(n) * kLogOfTwoPi);
  }

 private:
  std::size_t dimension_;
  std::vector<double> mean_, precision_;
  std::vector<std::size_t> coordinates_;
  Inverted block_;
  double log_mass_ = 0.0;
};
}  // namespace

PointDensity density_at_point(const density::LogDensity& density, const density::Draws& draws,
                              std::span<const FixedCoordinate> point) {
  require_continuous(density, "a density at a point");
  const Index dimension = density.dimension(), half = draws.num_draws() / 2;
  if (half * draws.num_chains() < 2 * (dimension + 10))
    throw Error(ErrorCode::usage,
                fmt::format("{} draws are too few for a density in {} dimensions",
                            draws.num_draws() * draws.num_chains(), dimension),
                "density at a point", fmt::format("draw at least {}", 4 * (dimension + 10)));
  const ConditionalNormal distribution(draws, half, point);
  std::vector<double> there, at_point, row(static_cast<std::size_t>(dimension)), log_weights;
  for (Index c = 0; c < draws.num_chains(); ++c)
    for (Index s = half; s < draws.num_draws(); ++s) {
      draws.get(s, c, row);
      log_weights.push_back(distribution.log_density(row));
      there.insert(there.end(), row.begin(), row.end());
      for (const FixedCoordinate& fixed : point)
        row[static_cast<std::size_t>(fixed.coordinate)] = fixed.value;
      at_point.insert(at_point.end(), row.begin(), row.end());
    }
  PointValues values(density);
  const std::vector<double> whole = values.at(there), moved = values.at(at_point);
  for (std::size_t k = 0; k < log_weights.size(); ++k) log_weights[k] += moved[k] - whole[k];
  return {.log_density = log_mean(log_weights, draws.num_draws() - half, draws.num_chains()),
          .pareto_k = diagnose::weight_pareto_k(log_weights),
          .num_evaluations = values.num_evaluations()};
}

}  // namespace credo::infer
