// The normal distribution of the unconstrained values with the highest variational bound (bound.hpp), as weighted draws.
#include "base/processors.hpp"
#include "infer/core/chain.hpp"
#include "infer/variational/approximation.hpp"
#include "infer/variational/bound.hpp"
#include "infer/variational/family_draws.hpp"

namespace credo::infer {
namespace {

// Bounds and what weights say; the covariance itself where it isn't large.
std::vector<TunedSetting> figures_of(const BestNormal& best) {
  const FreshBounds& bounds = best.bounds;
  return {{"mean", best.family->mean()},
          {"variances", best.family->variances()},
          {"bound", {best.bound.value}},
          {"bound_error", {best.bound.error}},
          {"upper_bound", {bounds.upper.value}},
          {"upper_bound_error", {bounds.upper.error}},
          {"evidence_by_weights", {bounds.weights.value}},
          {"evidence_by_weights_error", {bounds.weights.error}},
          {"num_fit_evaluations", {static_cast<double>(best.num_evaluations)}}};
}

const char* words_on_end(const BestNormal& best) {
  return !best.took_steps
             ? "the bound was still rising when the iterations were used up: allow more with "
               "--max-iterations"
             : "the climb hadn't settled when the steps were used up: allow more with --max-steps";
}

RunResult run_normal(const density::LogDensity& density, const SampleOptions& options,
                     DrawSink& sink) {
  BoundOptions own = options_for<BoundOptions>(options.kernel, options.sampler);
  validate(own);
  require_no_metric(options);
  own.seed = options.seed;
  own.on_fit = options.on_fit;
  own.num_threads = options.num_threads > 0 ? options.num_threads : num_processors();
  const BestNormal best = maximise_bound(density, own);
  FittedApproximation fitted{.distribution = std::make_shared<FamilyDraws>(*best.family),
                             .figures = figures_of(best),
                             .warnings = best.remarks,
                             .course = best.course,
                             .has_course = true};
  if (!best.converged) fitted.warnings.emplace_back(words_on_end(best));
  return draw_approximation(density, options, std::move(fitted), sink);
}
}  // namespace

extern const SamplerSpec kNormal;
const SamplerSpec kNormal = approximation_row(
    {.name = "normal",
     .summary = "weighted draws from the normal distribution with the highest "
                "variational bound",
     .reference = "giordano2024"},
    [] { return KernelOptions(BoundOptions{}); }, run_normal, bound_groups);

}  // namespace credo::infer
