// The product of factors on the parameters' own scales (families/factors.hpp) with the highest evidence bound, as weighted draws.
#include "base/processors.hpp"
#include "infer/core/chain.hpp"
#include "infer/variational/approximation.hpp"
#include "infer/variational/climbs/bound.hpp"
#include "infer/variational/families/factors.hpp"
#include "infer/variational/family_draws.hpp"
#include "infer/variational/climbs/fixed_draw_bound.hpp"

namespace credo::infer {
namespace {
constexpr Index kMostFactorValues = 2000, kFactorDraws = 250;

struct FactorOptions {
  Index num_starts = 8;
  Index num_fresh = 10'000;
  Index max_iterations = 500;

  static void describe(auto& self, auto&& field) {
    field(self.num_starts,
          FieldSpec{.name = "num_starts",
                    .help = "climbs to modes, at the heaviest of which the fit begins; without a "
                            "mode starts from the prior, the best of which continues",
                    .range = {.lo = 1.0, .hi = 1e6}});
    field(self.num_fresh, FieldSpec{.name = "num_fresh",
                                    .help = "draws of the reported bounds",
                                    .range = {.lo = 2.0, .hi = 1e9}});
    field(self.max_iterations, FieldSpec{.name = "max_iterations",
                                         .help = "iterations at most",
                                         .range = {.lo = 1.0, .hi = 1e9}});
  }
};

struct FittedFactors : ClimbResult {
  std::unique_ptr<DistributionFamily> family;
  FreshBounds bounds;
  std::vector<FactorSpec> factors;
};

// From the best independent normal values.
FittedFactors fit_factors(const density::LogDensity& density, const FactorOptions& own,
                          const SampleOptions& run) {
  BoundOptions options;
  options.covariance = CovarianceShape::diagonal;
  options.num_starts = own.num_starts, options.num_fresh = own.num_fresh;
  options.max_iterations = own.max_iterations, options.seed = run.seed;
  options.on_fit = run.on_fit;
  options.num_threads = run.num_threads > 0 ? run.num_threads : num_processors();
  const BestNormal normal = maximise_bound(density, options);
  FittedFactors fit;
  fit.factors = factors_of(density);
  fit.family = make_factors(fit.factors, normal.family->mean(), normal.family->variances());
  std::vector<double> draws =
      balanced_draws(kFactorDraws, fit.family->num_base(), CovarianceShape::diagonal, run.seed);
  static_cast<ClimbResult&>(fit) =
      climb_fixed(density, *fit.family, std::move(draws), own.max_iterations,
                  {options.num_threads, options.on_fit});
  fit.bounds = bounds_by_new_draws(density, *fit.family, options);
  fit.num_evaluations += normal.num_evaluations + own.num_fresh;
  return fit;
}

std::vector<TunedSetting> figures_of(const FittedFactors& fit) {
  std::vector<double> kinds;
  for (const FactorSpec& factor : fit.factors) kinds.push_back(static_cast<double>(factor.kind));
  return {{"factor_kinds", kinds},
          {"factor_parameters", factor_parameters(*fit.family)},
          {"bound", {fit.bounds.elbo.value}},
          {"bound_error", {fit.bounds.elbo.error}},
          {"upper_bound", {fit.bounds.upper.value}},
          {"upper_bound_error", {fit.bounds.upper.error}},
          {"evidence_by_weights", {fit.bounds.weights.value}},
          {"evidence_by_weights_error", {fit.bounds.weights.error}},
          {"num_fit_evaluations", {static_cast<double>(fit.num_evaluations)}}};
}

RunResult run_factors(const density::LogDensity& density, const SampleOptions& options,
                      DrawSink& sink) {
  const auto own = options_for<FactorOptions>(options.kernel, options.sampler);
  validate(own);
  require_no_metric(options);
  require_approximable(density, "the product of factors", kMostFactorValues);
  const FittedFactors fit = fit_factors(density, own, options);
  FittedApproximation fitted{.distribution = std::make_shared<FamilyDraws>(*fit.family),
                             .figures = figures_of(fit),
                             .warnings = {},
                             .course = fit.course,
                             .has_course = true};
  if (!fit.converged)
    fitted.warnings.emplace_back(
        "the bound was still rising when the iterations were used up: allow more with "
        "--max-iterations");
  return draw_approximation(density, options, std::move(fitted), sink);
}
}  // namespace

extern const SamplerSpec kFactors;
const SamplerSpec kFactors = approximation_row(
    {.name = "factors",
     .summary =
         "weighted draws from the best product of factors, each on its parameter's own scale",
     .reference = "murphy2023"},
    [] { return KernelOptions(FactorOptions{}); }, run_factors, bound_groups);

}  // namespace credo::infer
