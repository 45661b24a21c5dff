// Component k, with L Lᵀ = s² Σ_k and z = L⁻¹ (x - m_k):
//
//   log t = log Γ((ν + D)/2) - log Γ(ν/2) - D/2 log(ν π) - log |L| - (ν + D)/2 log(1 + z'z / ν)
//
// is drawn as m_k + L n / √(c / ν), n standard normal, c the sum of ν squares of such numbers.
#include "infer/evidence/mode_mixture.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "infer/evidence/points.hpp"
#include "infer/optimise/mode.hpp"
#include "infer/smc/resampling.hpp"
#include "numerics/elementary.hpp"
#include "numerics/log_sum.hpp"
#include "numerics/special.hpp"

namespace credo::infer {
namespace {
constexpr double kLogOfPi = 1.14472988584940017414;

struct MixturePart {
  std::vector<double> mean;
  Metric metric;              // its inverse: s² Σ
  double log_share = 0.0;     // of the whole mixture
  double log_constant = 0.0;  // of the distribution
};

class ModeMixture final : public Reference {
 public:
  ModeMixture(std::vector<MixturePart> parts, const ModeMixtureOptions& options)
      : parts_(std::move(parts)),
        options_(options),
        wide_(normal_reference(options.defensive_sd)) {}

  double log_density(std::span<const double> x) const override {
    std::vector<double> terms = {log_defensive(x)};
    std::vector<double> z(x.size());
    for (const MixturePart& part : parts_) terms.push_back(log_part(part, x, z));
    return numerics::log_sum_exp(terms);
  }

  // Σ_k r_k ∇ log q_k, r_k the share of component k at x; that of one is -(ν + D) (s² Σ)⁻¹ (x - m) / (ν + z'z).
  void add_gradient(std::span<const double> x, double factor,
                    std::span<double> gradient) const override {
    const double whole = log_density(x), dof = static_cast<double>(options_.dof);
    std::vector<double> z(x.size()), back(x.size());
    wide_->add_gradient(x, factor * numerics::exp(log_defensive(x) - whole), gradient);
    for (const MixturePart& part : parts_) {
      const double share = numerics::exp(log_part(part, x, z) - whole);
      double square = 0.0;
      for (const double v : z) square += v * v;
      for (std::size_t i = 0; i < x.size(); ++i) {  // row i of L⁻¹ by its action on a unit vector
        std::fill(back.begin(), back.end(), 0.0);
        back[i] = 1.0;
        part.metric.unshape_move(back);
        double slope = 0.0;
        for (std::size_t d = 0; d < x.size(); ++d) slope += back[d] * z[d];
        gradient[i] -=
            factor * share * (dof + static_cast<double>(x.size())) / (dof + square) * slope;
      }
    }
  }

  void draw(Rng& rng, std::span<double> x) const override {
    double u = rng.uniform() - options_.defensive_share;
    if (u < 0.0 || parts_.empty()) return wide_->draw(rng, x);
    const MixturePart* chosen = &parts_.back();
    for (const MixturePart& part : parts_)
      if ((u -= numerics::exp(part.log_share)) < 0.0) {
        chosen = &part;
        break;
      }
    draw_part(*chosen, rng, x);
  }

 private:
  double log_defensive(std::span<const double> x) const {
    return numerics::log(options_.defensive_share) + wide_->log_density(x);
  }
  // With its share; z becomes L⁻¹ (x - mean).
  double log_part(const MixturePart& part, std::span<const double> x, std::span<double> z) const {
    for (std::size_t d = 0; d < x.size(); ++d) z[d] = x[d] - part.mean[d];
    part.metric.unshape_move(z);
    double square = 0.0;
    for (const double v : z) square += v * v;
    const double dof = static_cast<double>(options_.dof), n = static_cast<double>(x.size());
    return part.log_share + part.log_constant - 0.5 * (dof + n) * numerics::log1p(square / dof);
  }
  void draw_part(const MixturePart& part, Rng& rng, std::span<double> x) const {
    std::vector<double> noise(x.size());
    double squares = 0.0;
    for (Index k = 0; k < options_.dof; ++k) squares += std::pow(rng.normal(), 2);
    for (double& n : noise) n = rng.normal();
    part.metric.shape_move(noise, x);
    const double stretch = std::sqrt(static_cast<double>(options_.dof) / squares);
    for (std::size_t d = 0; d < x.size(); ++d) x[d] = part.mean[d] + stretch * x[d];
  }

  std::vector<MixturePart> parts_;
  ModeMixtureOptions options_;
  std::shared_ptr<const Reference> wide_;
};

// True if a mode is already among the parts: closer than a tenth of a standard deviation.
bool is_mode_of_parts(const std::vector<MixturePart>& parts, std::span<const double> mode) {
  constexpr double kSame = 0.1;
  return std::any_of(parts.begin(), parts.end(), [&](const MixturePart& part) {
    std::vector<double> z(mode.begin(), mode.end());
    for (std::size_t d = 0; d < z.size(); ++d) z[d] -= part.mean[d];
    part.metric.unshape_move(z);
    double square = 0.0;
    for (const double v : z) square += v * v;
    return square < kSame * kSame * static_cast<double>(z.size());
  });
}

MixturePart part_at(const density::LogDensity& density, const Mode& mode,
                    const ModeMixtureOptions& options) {
  const Index dimension = density.dimension();
  MixturePart part{.mean = mode.position, .metric = Metric(MetricKind::dense, dimension)};
  std::vector<double> covariance = inverse_hessian(density, mode.position);
  const double log_root = 0.5 * log_determinant(covariance, dimension);
  for (double& v : covariance) v *= options.scale * options.scale;
  if (!part.metric.set_inverse(covariance))
    throw Error(ErrorCode::evaluation, "the curvature at a mode isn't that of a peak",
                "mixture of modes", "use --from prior or --from normal");
  const double n = static_cast<double>(dimension), dof = static_cast<double>(options.dof);
  part.log_share = mode.log_density + log_root;
  part.log_constant = numerics::lgamma(0.5 * (dof + n)) - numerics::lgamma(0.5 * dof) -
                      0.5 * n * (numerics::log(dof) + kLogOfPi) - log_root -
                      n * numerics::log(options.scale);
  return part;
}
}  // namespace

std::shared_ptr<const Reference> mode_mixture(const density::LogDensity& density,
                                              const ModeMixtureOptions& options) {
  std::vector<MixturePart> parts;
  for (Index k = 0; k < options.num_climbs; ++k) {
    const Mode mode = find_mode(
        density, {.init_radius = options.defensive_sd, .seed = static_cast<std::uint64_t>(k + 1)});
    if (mode.converged && !is_mode_of_parts(parts, mode.position))
      parts.push_back(part_at(density, mode, options));
  }
  if (parts.empty())
    throw Error(ErrorCode::evaluation,
                fmt::format("none of {} climbs to a mode has converged", options.num_climbs),
                "mixture of modes", "use --from prior or --from normal");
  std::vector<double> masses;
  for (const MixturePart& part : parts) masses.push_back(part.log_share);
  const double whole = numerics::log_sum_exp(masses) - numerics::log1p(-options.defensive_share);
  for (MixturePart& part : parts) part.log_share -= whole;
  return std::make_shared<ModeMixture>(std::move(parts), options);
}

}  // namespace credo::infer
