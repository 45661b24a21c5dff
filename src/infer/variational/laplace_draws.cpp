// The Laplace approximation as weighted draws [murphy2023, 7.4.3]: N(x̂, C), or Student's t with these, C = (-∇² log p(x̂))⁻¹, at
// the mode x̂ with the highest log p(x̂) + ½ log |C| of those that climbs from several starts find. Second derivatives
// are exact where the density has them. A curvature that isn't positive is an error with its directions, and never clipped.
#include <fmt/format.h>

#include "infer/core/chain.hpp"
#include "infer/latent/run_marginal.hpp"
#include "infer/variational/approximation.hpp"
#include "infer/variational/families/normal_family.hpp"
#include "infer/variational/fits/laplace_fit.hpp"
#include "infer/variational/fits/outer_points.hpp"

namespace credo::infer {
namespace {
constexpr Index kMostLaplaceValues = 2000;  // the covariance has their square

struct LaplaceDrawsOptions {
  Index num_starts = 8;
  double init_radius = 2.0;
  Index dof = 0;
  CovarianceShape covariance = CovarianceShape::full;
  std::string inner = {};
  OuterMethod outer = OuterMethod::mode;
  double grid_step = 0.75;

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
    field(self.covariance,
          FieldSpec{.name = "covariance",
                    .help = "inverse of the curvature, or of its diagonal alone, as elastic weight "
                            "consolidation has it",
                    .values = "full|diagonal"});
    field(self.inner,
          FieldSpec{.name = "inner",
                    .help = "parameters, joined by commas, that get a Laplace approximation given "
                            "the others, with a sparse factor; auto: those that are stated as "
                            "normal effects; none: all parameters together"});
    field(self.outer,
          FieldSpec{.name = "outer",
                    .help = "the other parameters: mode: held at the mode of their marginal "
                            "density; grid or ccd: points with weights; sample: drawn by NUTS",
                    .needs = "inner"});
    field(self.grid_step, FieldSpec{.name = "grid_step",
                                    .help = "step of the grid, in standard deviations",
                                    .range = {.lo = 0.05, .hi = 3.0},
                                    .needs = "outer=grid"});
  }
};

// The covariance of a peak, or the diagonal one with its precisions.
CovarianceParts parts_of(const LaplacePeak& peak, CovarianceShape shape) {
  if (shape == CovarianceShape::full) return {.covariance = peak.curvature.covariance};
  const std::size_t n = peak.mode.position.size();
  const std::vector<double> precision =
      precision_of({.mean = peak.mode.position, .covariance = peak.curvature.covariance});
  CovarianceParts parts;
  for (std::size_t d = 0; d < n; ++d)
    parts.scales.push_back(1.0 / std::sqrt(precision[precision.size() == n ? d : d * n + d]));
  return parts;
}

MixturePartSpec normal_part(const LaplacePeak& peak, const CovarianceParts& parts) {
  if (!parts.covariance.empty()) return {peak.mode.position, parts.covariance};
  const std::size_t n = parts.scales.size();
  std::vector<double> covariance(n * n, 0.0);
  for (std::size_t d = 0; d < n; ++d) covariance[d * n + d] = parts.scales[d] * parts.scales[d];
  return {peak.mode.position, std::move(covariance)};
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

// NUTS on the marginal density of the outer parameters, and inner ones given them.
RunResult run_outer_nuts(const CollapsedDensity& collapsed, const SampleOptions& options,
                         DrawSink& sink) {
  SampleOptions own = options;
  own.sampler = "nuts";
  own.kernel = find_sampler(own.sampler).options();
  own.num_warmup = SampleOptions{}.num_warmup;
  for (std::vector<double>& point : own.init)
    point = values_at(point, collapsed.model().block.outer);
  LiftedSink lifted(collapsed,
                    {.seed = options.seed,
                     .first_chain = options.first_chain,
                     .columns = approximation_columns(),
                     .num_skipped = own.num_warmup},
                    sink);
  RunResult result = run_chains(collapsed, own, lifted);
  lifted.lift(result);
  return result;
}

// Inner parameters by Laplace's approximation given the outer ones (outer_points.hpp).
RunResult run_inner_and_outer(const density::LogDensity& density, const SampleOptions& options,
                              const LaplaceDrawsOptions& own, DrawSink& sink) {
  if (own.dof > 0)
    throw Error(ErrorCode::usage, "inner parameters are drawn from normal distributions", "dof",
                "leave out one of --dof and --inner");
  if (own.covariance != CovarianceShape::full)
    throw Error(ErrorCode::usage, "inner parameters have the covariance of their curvature",
                "covariance", "leave out one of --covariance and --inner");
  const auto collapsed = std::make_shared<const CollapsedDensity>(density, own.inner);
  if (own.outer == OuterMethod::sample) return run_outer_nuts(*collapsed, options, sink);
  OuterPoints points = outer_points(*collapsed, {.method = own.outer, .step = own.grid_step});
  FittedApproximation fitted{.distribution = nullptr,
                             .figures = {{"outer_mode", points.mode},
                                         {"outer_covariance", points.covariance},
                                         {"laplace_log_evidence", {points.log_evidence}}},
                             .warnings = {}};
  std::vector<double> places, masses;
  for (const OuterPoint& point : points.points) {
    const std::vector<double> outer =
        values_at(point.inner.position(), collapsed->model().block.outer);
    places.insert(places.end(), outer.begin(), outer.end());
    masses.push_back(point.mass);
  }
  fitted.figures.push_back({"outer_points", places});
  fitted.figures.push_back({"outer_masses", masses});
  if (own.outer == OuterMethod::mode)
    fitted.warnings.push_back(
        "the outer parameters are held at their mode, so that their uncertainty is left out: "
        "--outer grid, ccd or sample includes it");
  fitted.distribution = mixture_of_outer_points(collapsed, std::move(points));
  return draw_approximation(density, options, std::move(fitted), sink);
}

RunResult run_laplace_draws(const density::LogDensity& density, const SampleOptions& options,
                            DrawSink& sink) {
  const auto own = options_for<LaplaceDrawsOptions>(options.kernel, options.sampler);
  validate(own);
  require_no_metric(options);
  if (!own.inner.empty()) return run_inner_and_outer(density, options, own, sink);
  require_approximable(density, "the Laplace approximation", kMostLaplaceValues);
  const std::vector<LaplacePeak> peaks =
      find_peaks(density, {own.num_starts, own.init_radius, options.seed, true, options.on_fit});
  const LaplacePeak& best = peaks.front();
  const CovarianceParts parts = parts_of(best, own.covariance);
  const MixturePartSpec part = normal_part(best, parts);
  const bool is_full = !parts.covariance.empty();
  return draw_approximation(
      density, options,
      {.distribution = mixture_of_normals(std::span(&part, 1), own.dof),
       .figures = {{"mode", best.mode.position},
                   {is_full ? "covariance" : "scales", is_full ? parts.covariance : parts.scales},
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
