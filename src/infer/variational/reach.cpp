#include "infer/variational/reach.hpp"

#include <boost/math/special_functions/gamma.hpp>

#include "base/rng.hpp"
#include "base/stream.hpp"
#include "infer/core/vectors.hpp"
#include "infer/variational/drift.hpp"
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::infer {
namespace {
constexpr std::uint32_t kReach = stream("variational.reach");
constexpr double kDof = 2.0;
constexpr std::size_t kPointsEach = 10;

// Squared radius that a draw of N(0, I) exceeds with probability 1 / num_draws.
double squared_reach(std::size_t dimension, Index num_draws) {
  return 2.0 * boost::math::gamma_q_inv(0.5 * static_cast<double>(dimension),
                                        1.0 / static_cast<double>(num_draws));
}

struct FarDraws {
  std::vector<double> log_weights;
  std::vector<bool> is_far;
};

// Draws m + L n / √e, e ~ Exp(1), of t with two degrees of freedom, with weights p / t up to a factor.
FarDraws far_draws(const density::LogDensity& density, std::span<const double> mean,
                   const numerics::RowMatrix& root, double squared_radius) {
  const std::size_t n = mean.size();
  const auto evaluator = density.make_evaluator();
  Rng rng({.seed = 1, .purpose = kReach, .chain = 0, .iteration = 0});
  std::vector<double> y(n);
  FarDraws draws;
  for (Index s = 0; s < kReachDraws; ++s) {
    for (double& v : y) v = rng.normal();
    const double stretch = 1.0 / std::sqrt(rng.exponential());
    for (double& v : y) v *= stretch;
    std::vector<double> x = numerics::times_factor(root, y);
    for (std::size_t d = 0; d < n; ++d) x[d] += mean[d];
    density::Request request{.position = x, .gradient = {}, .status = {}};
    density::Request* batch[] = {&request};
    evaluator->evaluate(density::Want::value, batch);
    const double square = dot(y, y);
    const double log_t = -0.5 * (kDof + static_cast<double>(n)) * std::log1p(square / kDof);
    draws.log_weights.push_back(request.status.ok() ? request.log_density - log_t : -kInfinity);
    draws.is_far.push_back(square > squared_radius);
  }
  return draws;
}

// Self-normalised, with its error of first order.
std::optional<UnreachedMass> share_of(const FarDraws& draws) {
  const double top = *std::ranges::max_element(draws.log_weights);
  if (!std::isfinite(top)) return std::nullopt;
  double sum = 0.0, far = 0.0, squares = 0.0;
  for (std::size_t s = 0; s < draws.log_weights.size(); ++s) {
    const double weight = std::exp(draws.log_weights[s] - top);
    sum += weight, far += draws.is_far[s] ? weight : 0.0;
  }
  UnreachedMass mass{.share = far / sum};
  for (std::size_t s = 0; s < draws.log_weights.size(); ++s) {
    const double off = (draws.is_far[s] ? 1.0 : 0.0) - mass.share;
    squares += std::pow(std::exp(draws.log_weights[s] - top) * off, 2);
  }
  mass.error = std::sqrt(squares) / sum;
  return mass;
}
}  // namespace

std::optional<UnreachedMass> unreached_mass(const density::LogDensity& density,
                                            std::span<const std::vector<double>> points,
                                            Index num_draws) {
  const std::size_t n = points.empty() ? 0 : points.front().size();
  if (n == 0 || points.size() < kPointsEach * n) return std::nullopt;
  const PointMoments moments = moments_of(points);
  const auto size = static_cast<Index>(n);
  const numerics::RowMatrix root =
      numerics::lower_factor(numerics::RowMatrix(size, size, moments.covariance));
  for (Index d = 0; d < size; ++d)
    if (!(root(d, d) > 0.0)) return std::nullopt;
  return share_of(far_draws(density, moments.mean, root, squared_reach(n, num_draws)));
}

}  // namespace credo::infer
