#include "infer/evidence/unseen_modes.hpp"

#include <boost/math/special_functions/gamma.hpp>

#include "base/error.hpp"
#include "diagnose/convergence.hpp"
#include "infer/evidence/points.hpp"
#include "infer/optimise/mode.hpp"
#include "infer/optimise/starts.hpp"
#include "numerics/elementary.hpp"

namespace credo::infer {
namespace {
constexpr double kHalfLogTwoPi = 0.91893853320467274178;

// The normal distribution of a mode's curvature.
struct CurvaturePeak {
  std::vector<double> centre;
  Metric metric;
  double log_root = 0.0;  // log |V|^½

  // (x - m)' V⁻¹ (x - m)
  double distance(std::span<const double> x, std::vector<double>& z) const {
    z.assign(x.begin(), x.end());
    for (std::size_t d = 0; d < z.size(); ++d) z[d] -= centre[d];
    metric.unshape_move(z);
    double square = 0.0;
    for (const double v : z) square += v * v;
    return square;
  }
};

std::optional<CurvaturePeak> peak_at(const density::LogDensity& density,
                                     std::span<const double> position) {
  CurvaturePeak peak{.centre = {position.begin(), position.end()},
                     .metric = Metric(MetricKind::dense, density.dimension())};
  try {
    const std::vector<double> covariance = inverse_hessian(density, position);
    if (!peak.metric.set_inverse(covariance)) return std::nullopt;
    peak.log_root = 0.5 * log_determinant(covariance, density.dimension());
  } catch (const Error& error) {
    if (error.code() != ErrorCode::evaluation) throw;
    return std::
        nullopt;  // no peak: an end of a climb with other mass than a normal distribution has
  }
  return peak;
}

// Different ends of climbs: none within a tenth of a standard deviation of another.
std::vector<CurvaturePeak> peaks_of(const density::LogDensity& density,
                                    const ModeSearchOptions& options, ModeSearch& search) {
  constexpr double kSame = 0.1;
  std::vector<CurvaturePeak> peaks;
  std::vector<double> z;
  PointValues values(density);
  for (const std::vector<double>& start :
       independent_starts(density, options.num_climbs, options.seed)) {
    if (!std::isfinite(values.at(start)[0])) continue;
    const auto mode = find_mode_if_defined(density, {.max_iterations = 500, .start = start});
    if (!mode) continue;
    search.num_evaluations += mode->num_evaluations;
    if (!mode->converged) continue;
    const double near = kSame * kSame * static_cast<double>(mode->position.size());
    if (std::any_of(peaks.begin(), peaks.end(),
                    [&](const CurvaturePeak& p) { return p.distance(mode->position, z) < near; }))
      continue;
    if (std::optional<CurvaturePeak> peak = peak_at(density, mode->position))
      peaks.push_back(*std::move(peak));
  }
  search.num_evaluations += values.num_evaluations();
  return peaks;
}

struct EllipsoidShare {
  double value = 0.0, error = 0.0;
};

// Share of the evidence in the ellipsoid of a peak.
EllipsoidShare expected_share(PointValues& values, const CurvaturePeak& peak, double log_evidence,
                              const ModeSearchOptions& options) {
  const std::size_t n = peak.centre.size();
  Rng rng({.seed = options.seed, .purpose = purpose::kWalker, .chain = 1'000'000, .iteration = 0});
  std::vector<double> points, log_normals, z(n), x(n);
  for (Index k = 0; k < options.num_points; ++k) {
    double square = 0.0;
    for (double& v : z) v = rng.normal(), square += v * v;
    if (square > static_cast<double>(n)) continue;
    peak.metric.shape_move(z, x);
    for (std::size_t d = 0; d < n; ++d) points.push_back(peak.centre[d] + x[d]);
    log_normals.push_back(-0.5 * square - static_cast<double>(n) * kHalfLogTwoPi - peak.log_root);
  }
  const std::vector<double> logs = values.at(points);
  double sum = 0.0, squares = 0.0;
  for (std::size_t k = 0; k < logs.size(); ++k) {
    const double w = numerics::exp(logs[k] - log_normals[k] - log_evidence);
    sum += w, squares += w * w;
  }
  const auto count = static_cast<double>(options.num_points);
  const double mean = sum / count;
  return {mean, std::sqrt(std::max(squares / count - mean * mean, 0.0) / count)};
}

// Share of the draws there; its error by the effective number of draws, and the expected share.
EllipsoidShare share_of_draws(const density::Draws& draws, const CurvaturePeak& peak,
                              double effective, double expected) {
  std::vector<double> row(peak.centre.size()), z;
  double inside = 0.0;
  for (Index c = 0; c < draws.num_chains(); ++c)
    for (Index s = 0; s < draws.num_draws(); ++s) {
      draws.get(s, c, row);
      inside += peak.distance(row, z) <= static_cast<double>(row.size()) ? 1.0 : 0.0;
    }
  const double p = std::clamp(expected, 0.0, 1.0);
  return {inside / static_cast<double>(draws.num_draws() * draws.num_chains()),
          std::sqrt(p * (1.0 - p) / effective)};
}

// Share of a normal distribution's mass within a squared distance of D.
double share_within_ellipsoid(std::size_t dimension) {
  const double half = 0.5 * static_cast<double>(dimension);
  return boost::math::gamma_p(half, half);
}

// The smallest of the coordinates.
double effective_draws(const density::Draws& draws) {
  double least = static_cast<double>(draws.num_draws() * draws.num_chains());
  for (Index d = 0; d < draws.num_quantities(); ++d) {
    const double ess = diagnose::ess_mean(diagnose::quantity(draws, d));
    if (ess > 0.0) least = std::min(least, ess);
  }
  return least;
}
}  // namespace

ModeSearch search_unseen_modes(const density::LogDensity& density, const density::Draws& draws,
                               const LogEvidence& evidence, const ModeSearchOptions& options) {
  ModeSearch search;
  if (!density.has_gradient() || density.dimension() > options.most_dimensions) return search;
  search.was_made = true;
  const std::vector<CurvaturePeak> peaks = peaks_of(density, options, search);
  search.num_modes = ssize(peaks);
  const double effective = effective_draws(draws);
  PointValues values(density);
  double lacking = 0.0;  // in masses of the draws
  for (const CurvaturePeak& peak : peaks) {
    const EllipsoidShare expected = expected_share(values, peak, evidence.value, options);
    const EllipsoidShare found = share_of_draws(draws, peak, effective, expected.value);
    const double error = std::hypot(expected.error, found.error, expected.value * evidence.error);
    const bool is_lacking = expected.value - found.value > options.limit * error;
    if (is_lacking)
      lacking += (expected.value - found.value) / share_within_ellipsoid(peak.centre.size());
    if (is_lacking && (!search.unseen || expected.value > search.unseen->expected_share))
      search.unseen = UnseenMode{peak.centre, expected.value, found.value};
  }
  search.lacking_share = lacking / (1.0 + lacking);
  search.num_evaluations += values.num_evaluations();
  return search;
}

}  // namespace credo::infer
