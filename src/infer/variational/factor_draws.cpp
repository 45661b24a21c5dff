// The product of factors on the parameters' own scales (families/factors.hpp) with the highest evidence bound, as weighted draws.
#include "base/processors.hpp"
#include "infer/core/chain.hpp"
#include "infer/variational/approximation.hpp"
#include "infer/variational/climbs/bound.hpp"
#include "infer/variational/climbs/fixed_draw_bound.hpp"
#include "infer/variational/families/factors.hpp"
#include "infer/variational/family_draws.hpp"

namespace credo::infer {
namespace {
constexpr Index kMostFactorValues = 2000, kFactorDraws = 250;

constexpr std::array kFactorClimbFields = {ClimbField{"num_starts"}, ClimbField{"num_fresh"},
                                           ClimbField{"max_iterations"}};

struct FactorOptions {
  BoundOptions climb;
  static void describe(auto& self, auto&& field) {
    describe_climb(self.climb, kFactorClimbFields, field);
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
  BoundOptions options = own.climb;
  options.covariance = CovarianceShape::diagonal;
  options.seed = run.seed;
  options.on_fit = run.on_fit;
  options.num_threads = run.num_threads > 0 ? run.num_threads : num_processors();
  const BestNormal normal = maximise_bound(density, options);
  FittedFactors fit;
  fit.factors = factors_of(density);
  fit.family = make_factors(fit.factors, normal.family->mean(), normal.family->variances());
  std::vector<double> draws = stratified_draws(kFactorDraws, fit.family->num_base(), run.seed);
  static_cast<ClimbResult&>(fit) =
      climb_fixed(density, *fit.family, std::move(draws), options.max_iterations,
                  {options.num_threads, options.on_fit});
  fit.bounds = bounds_by_new_draws(density, *fit.family, options);
  fit.num_evaluations += normal.num_evaluations + options.num_fresh;
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
