// The normal distribution of the unconstrained values with the highest variational bound (bound.hpp), as weighted draws.
#include "base/processors.hpp"
#include "infer/core/chain.hpp"
#include "infer/variational/approximation.hpp"
#include "infer/variational/climbs/bound_figures.hpp"
#include "infer/variational/family_draws.hpp"

namespace credo::infer {
namespace {

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
                             .figures = bound_figures(best),
                             .warnings = best.remarks,
                             .course = best.course,
                             .has_course = true,
                             .has_weights = !parse_objective(own.objective).is_generalised()};
  if (!best.converged) fitted.warnings.push_back(words_on_climb(best));
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
