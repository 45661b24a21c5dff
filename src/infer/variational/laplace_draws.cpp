// The Laplace approximation as weighted draws [murphy2023, 7.4.3]: N(x̂, C), or Student's t with these, C = (-∇² log p(x̂))⁻¹, at
// the mode x̂ with the highest log p(x̂) + ½ log |C| of those that climbs from several starts find. Second derivatives
// are exact where the density has them. A curvature that isn't positive is an error with its directions, and never clipped.
#include <fmt/format.h>

#include "density/model.hpp"
#include "infer/core/chain.hpp"
#include "infer/optimise/climb.hpp"
#include "infer/optimise/mode.hpp"
#include "infer/variational/approximation.hpp"

namespace credo::infer {
namespace {
constexpr Index kMostLaplaceValues = 2000;  // the covariance has their square
constexpr double kHalfLogTwoPiOfLaplace = 0.91893853320467274178;

struct LaplaceDrawsOptions {
  Index num_starts = 8;
  double init_radius = 2.0;
  Index dof = 0;

  static void describe(auto& self, auto&& field) {
    field(self.num_starts, FieldSpec{.name = "num_starts",
                                     .help = "climbs, each from a point of its own",
                                     .range = {.lo = 1.0, .hi = 1e6}});
    field(self.init_radius, FieldSpec{.name = "init_radius",
                                      .help = "climbs begin uniformly on (-radius, radius)",
                                      .range = {.lo = 0.0, .hi_open = true}});
    field(self.dof, FieldSpec{.name = "dof",
                              .help = "degrees of freedom of Student's t draws; 0: normal draws",
                              .range = {.lo = 0.0, .hi = 1e6}});
  }
};

struct LaplacePeak {
  Mode mode;
  Curvature curvature;
  Index num_climbs = 1;
  double log_mass = -kInfinity;  // log evidence of its normal distribution
};

Curvature curvature_at(const density::LogDensity& density, std::span<const double> x, bool exact) {
  if (!exact) return {.shape = Curvature::Shape::peaked, .covariance = inverse_hessian(density, x)};
  std::vector<double> hessian(x.size() * x.size()), gradient(x.size());
  density::Request request{.position = x, .gradient = gradient, .status = {}, .matrix = hessian};
  density::Request* batch[] = {&request};
  density.make_evaluator()->evaluate(density::Want::hessian, batch);
  if (!request.status.ok()) return {};
  return curvature_of(hessian, density.dimension(), precision_of_hessian(true));
}

// Climbs that end within a hundredth of a nat and of a unit of each other are one peak.
LaplacePeak* same_peak(std::vector<LaplacePeak>& peaks, const Mode& mode) {
  constexpr double kSamePeak = 1e-2;
  for (LaplacePeak& peak : peaks) {
    double far = std::fabs(peak.mode.log_density - mode.log_density);
    for (std::size_t d = 0; d < mode.position.size(); ++d)
      far = std::max(far, std::fabs(peak.mode.position[d] - mode.position[d]) /
                              (1.0 + std::fabs(mode.position[d])));
    if (far < kSamePeak) return &peak;
  }
  return nullptr;
}

std::vector<LaplacePeak> peaks_of(const density::LogDensity& density,
                                  const LaplaceDrawsOptions& own, std::uint64_t seed) {
  std::vector<LaplacePeak> peaks;
  for (Index k = 0; k < own.num_starts; ++k) {
    auto mode = find_mode_if_defined(
        density, {.init_radius = own.init_radius, .seed = seed + static_cast<std::uint64_t>(k)});
    if (!mode || !mode->converged) continue;
    if (LaplacePeak* known = same_peak(peaks, *mode))
      ++known->num_climbs;
    else
      peaks.push_back({.mode = *std::move(mode), .curvature = {}});
  }
  return peaks;
}

// "mu (1), log_tau (-0.5)": the largest components of the first direction in which it isn't a peak.
std::string direction_text(const density::LogDensity& density, std::span<const double> directions) {
  std::vector<std::string> names;
  if (const density::Model* model = density.as_model()) names = model->free_names();
  std::string text;
  const auto n = static_cast<std::size_t>(density.dimension());
  for (std::size_t d = 0; d < n && d < directions.size(); ++d) {
    if (std::fabs(directions[d]) < 0.1) continue;
    const std::string name = names.size() == n ? names[d] : fmt::format("value {}", d + 1);
    text += fmt::format("{}{} ({:.2g})", text.empty() ? "" : ", ", name, directions[d]);
  }
  return text;
}

Error no_peak(const density::LogDensity& density, const Curvature& curvature) {
  return Error(ErrorCode::evaluation,
               fmt::format("at the highest end of a climb the density is no peak, along {}",
                           direction_text(density, curvature.directions)),
               "laplace",
               "the posterior has no normal approximation there: give that direction a prior or "
               "another form, or use credo sample");
}

// The heaviest peak first. Throws where that with the highest density isn't one.
std::vector<LaplacePeak> weighed_peaks(const density::LogDensity& density,
                                       std::vector<LaplacePeak> peaks) {
  if (peaks.empty())
    throw Error(ErrorCode::evaluation, "no climb to a mode has converged", "laplace",
                "credo optimize --jacobian says how climbs end; a density without a mode has no "
                "Laplace approximation");
  const bool exact = why_no_hessian(density).empty();
  std::ranges::sort(peaks, std::greater(),
                    [](const LaplacePeak& peak) { return peak.mode.log_density; });
  for (LaplacePeak& peak : peaks) {
    peak.curvature = curvature_at(density, peak.mode.position, exact);
    if (peak.curvature.shape != Curvature::Shape::peaked) continue;
    const double n = static_cast<double>(density.dimension());
    Metric metric(MetricKind::dense, density.dimension());
    if (!metric.set_inverse(peak.curvature.covariance)) continue;
    peak.log_mass = peak.mode.log_density + n * kHalfLogTwoPiOfLaplace + log_root_of(metric);
  }
  if (peaks.front().curvature.shape != Curvature::Shape::peaked)
    throw no_peak(density, peaks.front().curvature);
  std::ranges::stable_sort(peaks, std::greater(), &LaplacePeak::log_mass);
  return peaks;
}

// A sentence where other peaks have more than 2 % of the mass that all normal distributions have.
std::vector<std::string> words_on_others(std::span<const LaplacePeak> peaks) {
  constexpr double kSmallShare = 0.02;
  double rest = 0.0;
  for (std::size_t k = 1; k < peaks.size(); ++k)
    rest += std::exp(peaks[k].log_mass - peaks[0].log_mass);
  const double share = rest / (1.0 + rest);
  if (!(share > kSmallShare)) return {};
  return {
      fmt::format("climbs found {} modes; the others have {:.2g} % of the mass by their "
                  "curvatures, and the approximation leaves them out: use credo sample",
                  peaks.size(), 100.0 * share)};
}

RunResult run_laplace_draws(const density::LogDensity& density, const SampleOptions& options,
                            DrawSink& sink) {
  const auto own = options_for<LaplaceDrawsOptions>(options.kernel, options.sampler);
  validate(own);
  require_no_metric(options);
  require_approximable(density, "the Laplace approximation", kMostLaplaceValues);
  const std::vector<LaplacePeak> peaks =
      weighed_peaks(density, peaks_of(density, own, options.seed));
  const LaplacePeak& best = peaks.front();
  const MixturePartSpec part{best.mode.position, best.curvature.covariance};
  return draw_approximation(
      density, options,
      {.distribution = mixture_of_normals(std::span(&part, 1), own.dof),
       .figures = {{"mode", best.mode.position},
                   {"covariance", best.curvature.covariance},
                   {"laplace_log_evidence", {best.log_mass}},
                   {"num_climbs_there", {static_cast<double>(best.num_climbs)}},
                   {"num_modes", {static_cast<double>(peaks.size())}}},
       .warnings = words_on_others(peaks)},
      sink);
}
}  // namespace

extern const SamplerSpec kLaplace;
const SamplerSpec kLaplace = approximation_row(
    {.name = "laplace",
     .summary = "weighted draws from the normal distribution at the highest mode",
     .reference = "murphy2023"},
    [] { return KernelOptions(LaplaceDrawsOptions{}); }, run_laplace_draws);

}  // namespace credo::infer
