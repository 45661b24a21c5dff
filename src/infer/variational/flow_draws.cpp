// A flow with the highest variational bound (flow_fit.hpp), as weighted draws.
#include "base/processors.hpp"
#include "infer/core/chain.hpp"
#include "infer/variational/approximation.hpp"
#include "infer/variational/family_draws.hpp"
#include "infer/variational/fits/flow_fit.hpp"

namespace credo::infer {
namespace {
constexpr Index kMostFlowValues = 500;

std::vector<std::string> words_on(const FittedFlow& flow) {
  std::vector<std::string> words = flow.remarks;
  if (flow.is_start)
    words.emplace_back(
        "the flow found no higher bound than the best normal distribution, which was kept: allow "
        "more with --max-steps, or take other --layers");
  else if (!flow.converged)
    words.emplace_back(
        "the climb hadn't settled when the steps were used up: allow more with --max-steps");
  return words;
}

RunResult run_flow(const density::LogDensity& density, const SampleOptions& options,
                   DrawSink& sink) {
  auto own = options_for<FlowOptions>(options.kernel, options.sampler);
  validate(own);
  require_no_metric(options);
  require_approximable(density, "the flow", kMostFlowValues);
  own.climb.seed = options.seed;
  own.climb.on_fit = options.on_fit;
  own.climb.num_threads = options.num_threads > 0 ? options.num_threads : num_processors();
  const FittedFlow flow = fit_flow(density, own);
  FittedApproximation fitted{.distribution = std::make_shared<FamilyDraws>(*flow.family),
                             .figures = figures_of(flow),
                             .warnings = words_on(flow),
                             .course = flow.course,
                             .has_course = true};
  return draw_approximation(density, options, std::move(fitted), sink);
}
}  // namespace

extern const SamplerSpec kFlow;
const SamplerSpec kFlow = approximation_row(
    {.name = "flow",
     .summary = "weighted draws from a normalising flow with the highest variational bound",
     .reference = "rezende2015"},
    [] { return KernelOptions(FlowOptions{}); }, run_flow, bound_groups);

}  // namespace credo::infer
