#include "infer/variational/certificate/reach.hpp"

#include <boost/math/special_functions/gamma.hpp>

#include "base/rng.hpp"
#include "base/stream.hpp"
#include "infer/core/vectors.hpp"
#include "infer/variational/certificate/drift.hpp"
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
  std::vector<std::vector<double>> points;
  std::vector<double> log_weights;  // p / t, up to a factor
  std::vector<double> log_normals;  // N(m, L L') / t, up to a factor
  std::vector<bool> is_far;
};

// Draws m + L n / √e, e ~ Exp(1), of t with two degrees of freedom.
// `widening`: factor of the standard deviations of the normal distribution, whose moments are those of few points.
FarDraws placed_draws(std::span<const double> mean, const numerics::RowMatrix& root,
                      double squared_radius, double widening) {
  const std::size_t n = mean.size();
  Rng rng({.seed = 1, .purpose = kReach, .chain = 0, .iteration = 0});
  std::vector<double> y(n);
  FarDraws draws;
  for (Index s = 0; s < kReachDraws; ++s) {
    for (double& v : y) v = rng.normal();
    const double stretch = 1.0 / std::sqrt(rng.exponential());
    for (double& v : y) v *= stretch;
    std::vector<double> x = numerics::times_factor(root, y);
    for (std::size_t d = 0; d < n; ++d) x[d] += mean[d];
    const double square = dot(y, y);
    const double log_t = -0.5 * (kDof + static_cast<double>(n)) * std::log1p(square / kDof);
    draws.points.push_back(std::move(x));
    draws.log_weights.push_back(-log_t);
    draws.log_normals.push_back(-0.5 * square / (widening * widening) - log_t);
    draws.is_far.push_back(square > squared_radius);
  }
  return draws;
}

void weigh(FarDraws& draws, const density::LogDensity& density) {
  std::vector<density::Request> requests;
  std::vector<density::Request*> batch;
  for (const std::vector<double>& x : draws.points)
    requests.push_back({.position = x, .gradient = {}, .status = {}});
  for (density::Request& request : requests) batch.push_back(&request);
  density.make_evaluator()->evaluate(density::Want::value, batch);
  for (std::size_t s = 0; s < requests.size(); ++s)
    draws.log_weights[s] += requests[s].status.ok() ? requests[s].log_density : -kInfinity;
}

std::vector<double> weights_from(std::span<const double> logs) {
  const double top = *std::ranges::max_element(logs);
  std::vector<double> weights;
  for (const double log : logs) weights.push_back(std::exp(log - top));
  return weights;
}

// Share of Σ w f that is far, self-normalised, with its error of first order.
struct FarShare {
  double value = 0.0, error = 0.0;
};
FarShare far_share(const FarDraws& draws, std::span<const double> terms) {
  double sum = 0.0, far = 0.0, squares = 0.0;
  for (std::size_t s = 0; s < terms.size(); ++s)
    sum += terms[s], far += draws.is_far[s] ? terms[s] : 0.0;
  const double share = far / sum;
  for (std::size_t s = 0; s < terms.size(); ++s)
    squares += std::pow(terms[s] * ((draws.is_far[s] ? 1.0 : 0.0) - share), 2);
  return {share, std::sqrt(squares) / sum};
}

// Share of the variance of one output that is far.
FarShare far_variance(const FarDraws& draws, std::span<const double> weights,
                      std::span<const double> values) {
  constexpr double kRounding =
      1e-8;  // standard deviations below it, relative to the mean, are no variation
  double sum = 0.0, mean = 0.0;
  for (std::size_t s = 0; s < weights.size(); ++s) sum += weights[s];
  for (std::size_t s = 0; s < weights.size(); ++s) mean += weights[s] / sum * values[s];
  std::vector<double> terms;
  for (std::size_t s = 0; s < weights.size(); ++s)
    terms.push_back(weights[s] * (values[s] - mean) * (values[s] - mean));
  const double variance = std::accumulate(terms.begin(), terms.end(), 0.0) / sum;
  if (!(std::sqrt(variance) > kRounding * std::fabs(mean))) return {};
  return far_share(draws, terms);
}

// Takes the output with the clearest excess over the normal distribution's own share.
void take_spread(UnreachedMass& mass, const FarDraws& draws, std::span<const double> weights,
                 const OutputsOfPoints& outputs) {
  constexpr double kSeen = 1e-15;  // relative to the largest weight
  const std::vector<double> normals = weights_from(draws.log_normals);
  FarDraws seen;
  std::vector<double> own, normal;
  for (std::size_t s = 0; s < weights.size(); ++s) {
    if (weights[s] < kSeen && normals[s] < kSeen) continue;
    seen.points.push_back(draws.points[s]), seen.is_far.push_back(draws.is_far[s]);
    own.push_back(weights[s]), normal.push_back(normals[s]);
  }
  const std::vector<std::vector<double>> rows = outputs(seen.points);
  if (rows.size() != own.size() ||
      std::ranges::any_of(rows, [&](const auto& row) { return row.size() != rows[0].size(); }))
    return;
  double clearest = 0.0;
  for (std::size_t k = 0; k < rows[0].size(); ++k) {
    std::vector<double> values;
    for (const std::vector<double>& row : rows) values.push_back(row[k]);
    const FarShare found = far_variance(seen, own, values),
                   usual = far_variance(seen, normal, values);
    const double excess = found.value - usual.value, error = std::hypot(found.error, usual.error);
    const double clear = excess * std::min(1.0 / kFarSpread, 1.0 / (4.0 * error));
    if (!(clear > clearest)) continue;
    clearest = clear;
    mass.output = static_cast<Index>(k), mass.spread = excess, mass.spread_error = error;
  }
}
}  // namespace

std::optional<UnreachedMass> unreached_mass(const density::LogDensity& density,
                                            std::span<const std::vector<double>> points,
                                            Index num_draws, const OutputsOfPoints& outputs) {
  const std::size_t n = points.empty() ? 0 : points.front().size();
  if (n == 0 || points.size() < kPointsEach * n) return std::nullopt;
  const PointMoments moments = moments_of(points);
  const auto size = static_cast<Index>(n);
  const numerics::RowMatrix root =
      numerics::lower_factor(numerics::RowMatrix(size, size, moments.covariance));
  for (Index d = 0; d < size; ++d)
    if (!(root(d, d) > 0.0)) return std::nullopt;
  constexpr double kErrors = 2.0;  // errors of a standard deviation by the points
  const double widening = 1.0 + kErrors / std::sqrt(2.0 * static_cast<double>(points.size()));
  FarDraws draws = placed_draws(moments.mean, root, squared_reach(n, num_draws), widening);
  weigh(draws, density);
  if (!std::isfinite(*std::ranges::max_element(draws.log_weights))) return std::nullopt;
  const std::vector<double> weights = weights_from(draws.log_weights);
  const FarShare all = far_share(draws, weights);
  UnreachedMass mass{.share = all.value, .error = all.error};
  if (outputs) take_spread(mass, draws, weights, outputs);
  return mass;
}

}  // namespace credo::infer
