#include "infer/variational/fits/laplace_fit.hpp"

#include <fmt/format.h>

#include "density/model.hpp"
#include "infer/core/vectors.hpp"
#include "infer/optimise/climb.hpp"
#include "infer/variational/approximation.hpp"
#include "infer/variational/families/normal_family.hpp"

namespace credo::infer {
namespace {
Curvature curvature_at(const density::LogDensity& density, std::span<const double> x, bool exact) {
  if (!exact) return {.shape = Curvature::Shape::peaked, .covariance = inverse_hessian(density, x)};
  std::vector<double> hessian(x.size() * x.size()), gradient(x.size());
  density::Request request{.position = x, .gradient = gradient, .status = {}, .matrix = hessian};
  density::Request* batch[] = {&request};
  density.make_evaluator()->evaluate(density::Want::hessian, batch);
  if (!request.status.ok()) return {};
  return curvature_of(hessian, density.dimension(), precision_of_hessian(true));
}

// A Newton step at the end of a climb, which has a gradient of 1e-8 left; not taken where it doesn't lead to a smaller one.
void sharpen(const density::LogDensity& density, LaplacePeak& peak) {
  Mode& mode = peak.mode;
  std::vector<double> x = mode.position, gradient(x.size());
  add(x, 1.0, product(peak.curvature.covariance, mode.gradient));
  density::Request request{.position = x, .gradient = gradient, .status = {}};
  density::Request* batch[] = {&request};
  density.make_evaluator()->evaluate(density::Want::gradient, batch);
  if (!request.status.ok() || !(largest(gradient) < largest(mode.gradient))) return;
  mode.position = x;
  mode.gradient = gradient;
  mode.log_density = request.log_density;
  Curvature there = curvature_at(density, x, true);
  if (there.shape == Curvature::Shape::peaked) peak.curvature = std::move(there);
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

std::vector<LaplacePeak> peaks_of(const density::LogDensity& density, const LaplaceSearch& search) {
  std::vector<LaplacePeak> peaks;
  for (Index k = 0; k < search.num_starts; ++k) {
    if (search.on_fit) search.on_fit({"climbs", k, search.num_starts});
    auto mode = find_mode_if_defined(density, {.init_radius = search.init_radius,
                                               .seed = search.seed + static_cast<std::uint64_t>(k),
                                               .num_threads = search.num_threads,
                                               .keeps_state = true});
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
                                       std::vector<LaplacePeak> peaks, bool may_be_exact) {
  if (peaks.empty())
    throw Error(ErrorCode::evaluation, "no climb to a mode has converged", "laplace",
                "credo optimize --jacobian says how climbs end; a density without a mode has no "
                "Laplace approximation");
  const bool exact = may_be_exact && why_no_hessian(density).empty();
  std::ranges::sort(peaks, std::greater(),
                    [](const LaplacePeak& peak) { return peak.mode.log_density; });
  for (LaplacePeak& peak : peaks) {
    peak.curvature = curvature_at(density, peak.mode.position, exact);
    if (peak.curvature.shape != Curvature::Shape::peaked) continue;
    if (exact) sharpen(density, peak);
    const double n = static_cast<double>(density.dimension());
    Metric metric(MetricKind::dense, density.dimension());
    if (!metric.set_inverse(peak.curvature.covariance)) continue;
    peak.log_mass = peak.mode.log_density + n * kNormalConstant + log_root_of(metric);
  }
  if (peaks.front().curvature.shape != Curvature::Shape::peaked)
    throw no_peak(density, peaks.front().curvature);
  std::ranges::stable_sort(peaks, std::greater(), &LaplacePeak::log_mass);
  return peaks;
}
}  // namespace

std::vector<LaplacePeak> find_peaks(const density::LogDensity& density,
                                    const LaplaceSearch& search) {
  return weighed_peaks(density, peaks_of(density, search), search.exact);
}

}  // namespace credo::infer
