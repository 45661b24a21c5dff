// Amortised approximations: a network computes the distributions of local values from features of their rows, other values have
// a normal distribution of any shape, or are points that are climbed themselves, as weighted draws.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/processors.hpp"
#include "infer/core/chain.hpp"
#include "infer/core/needs.hpp"
#include "infer/variational/approximation.hpp"
#include "infer/variational/climbs/bound_figures.hpp"
#include "infer/variational/family_draws.hpp"
#include "infer/variational/fits/amortised_flow_fit.hpp"
#include "infer/variational/fits/sleep.hpp"

namespace credo::infer {
namespace {

FittedApproximation fitted_normal(const density::LogDensity& density, const AmortizedOptions& own) {
  const BestNormal best = fit_amortised(density, own);
  FittedApproximation fitted{.distribution = std::make_shared<FamilyDraws>(*best.family),
                             .figures = bound_figures(best),
                             .warnings = best.remarks,
                             .course = best.course,
                             .has_course = true,
                             .has_weights = own.climb.objective == kSleep ||
                                            !parse_objective(own.climb.objective).is_generalised()};
  if (!std::isnan(best.held_out)) fitted.figures.push_back({"held_out", {best.held_out}});
  if (!best.converged) fitted.warnings.push_back(words_on_climb(best));
  return fitted;
}

FittedApproximation fitted_flow(const density::LogDensity& density, const AmortizedOptions& own) {
  const FittedAmortisedFlow flow = fit_amortised_flow(density, own);
  FittedApproximation fitted{.distribution = std::make_shared<FamilyDraws>(*flow.family),
                             .figures = figures_of(flow),
                             .warnings = flow.remarks,
                             .course = flow.course,
                             .has_course = true};
  if (flow.is_start)
    fitted.warnings.emplace_back(
        "the gated steps found no higher bound than normal distributions, which were kept: allow "
        "more with --max-steps, or leave --layers out");
  else if (!flow.converged)
    fitted.warnings.emplace_back(
        "the climb hadn't settled when the steps were used up: allow more with --max-steps");
  return fitted;
}

RunResult run_amortized(const density::LogDensity& density, const SampleOptions& options,
                        DrawSink& sink) {
  auto own = options_for<AmortizedOptions>(options.kernel, options.sampler);
  validate(own);
  require_no_metric(options);
  own.climb.seed = options.seed;
  own.climb.on_fit = options.on_fit;
  own.climb.num_threads = options.num_threads > 0 ? options.num_threads : num_processors();
  FittedApproximation fitted =
      own.layers.empty() ? fitted_normal(density, own) : fitted_flow(density, own);
  if (own.local.empty() && own.point.empty() && own.features.empty())
    fitted.warnings.emplace_back(
        "no parameter is local, so that no network was fitted: name them with --local z "
        "--features x,y");
  if (!own.point.empty())
    fitted.warnings.push_back(fmt::format(
        "{}: a point without a spread; draws, weights and bounds are those of the other values "
        "given it",
        fmt::join(own.point, ", ")));
  return draw_approximation(density, options, std::move(fitted), sink);
}
}  // namespace

extern const SamplerSpec kAmortized;
const SamplerSpec kAmortized = approximation_row(
    {.name = "amortized",
     .summary = "weighted draws from normal distributions that a network computes from the data "
                "of each row",
     .reference = "kingma2014"},
    [] { return KernelOptions(AmortizedOptions{}); }, run_amortized, bound_groups);

}  // namespace credo::infer
