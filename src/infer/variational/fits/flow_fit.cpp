#include "infer/variational/fits/flow_fit.hpp"

#include "base/error.hpp"
#include "infer/variational/climbs/climb_guard.hpp"
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::infer {
namespace {
// Root of a normal distribution: lower triangular, or of variances alone where there are many values.
std::vector<double> root_of(const NormalFamily& normal) {
  const Index n = normal.dimension();
  if (n <= kMostOfFullCovariance)
    return numerics::lower_factor(numerics::RowMatrix(n, n, normal.covariance())).values;
  std::vector<double> scales = normal.variances();
  for (double& scale : scales) scale = std::sqrt(scale);
  return scales;
}

// The bounds meet: the density is that normal distribution, which needs no climb.
bool is_tight(const FreshBounds& bounds, double tolerance) {
  return bounds.upper.value - bounds.elbo.value < tolerance;
}

// Nullopt where some draws have no density.
std::optional<FreshBounds> bounds_if_defined(const density::LogDensity& density,
                                             GraphFamily& family, const BoundOptions& options) {
  try {
    return bounds_by_new_draws(density, family, options);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::evaluation) throw;
    return std::nullopt;
  }
}

void require_paths(const Objective& objective) {
  if (objective.is_forward || objective.is_generalised())
    throw Error(ErrorCode::usage,
                "this objective takes scores, which only normal distributions have", "objective",
                "take elbo, iwae:S, renyi:a or chi2, or --method normal");
}

BestNormal normal_start(const density::LogDensity& density, const BoundOptions& own) {
  BoundOptions options;
  options.num_starts = own.num_starts, options.num_fresh = own.num_fresh, options.seed = own.seed;
  options.num_threads = own.num_threads, options.on_fit = own.on_fit;
  return maximise_bound(density, options);
}
}  // namespace

FittedFlow fit_flow(const density::LogDensity& density, const FlowOptions& options) {
  const BoundOptions& climb = options.climb;
  const Objective objective = parse_objective(climb.objective);
  require_paths(objective);
  parse_layers(options.layers);  // before the work
  const BestNormal normal = normal_start(density, climb);
  FittedFlow flow;
  flow.spec = {options.layers, options.hidden, normal.family->mean(), root_of(*normal.family)};
  flow.family = std::make_shared<GraphFamily>(make_flow(flow.spec));
  const EstimatorSpec& estimator = find_estimator(climb.gradient, objective);
  flow.bounds_of_normal = normal.bounds;
  flow.converged = is_tight(normal.bounds, climb.tolerance);
  if (!flow.converged)
    static_cast<ClimbResult&>(flow) =
        climb_guarded(density, {density, 0, objective, estimator, climb}, *flow.family);
  const std::optional<FreshBounds> bounds = bounds_if_defined(density, *flow.family, climb);
  const bool is_judged = objective.power == 0.0 && !is_tight(normal.bounds, climb.tolerance);
  flow.is_start = !bounds || (is_judged && !(bounds->elbo.value > normal.bounds.elbo.value));
  if (flow.is_start) flow.family->move_to(flow.family->start());
  flow.bounds =
      flow.is_start ? bounds_by_new_draws(density, *flow.family, climb) : *std::move(bounds);
  flow.num_evaluations += normal.num_evaluations + climb.num_fresh;
  return flow;
}

MapValues values_of(const FittedFlow& flow) {
  const std::span<const double> parameters = flow.family->parameters();
  return {flow.spec.layers,
          flow.spec.hidden,
          flow.spec.centre,
          flow.spec.root,
          {parameters.begin(), parameters.end()}};
}

std::vector<TunedSetting> figures_of(const FittedFlow& flow) {
  const std::span<const double> parameters = flow.family->parameters();
  return {{"centre", flow.spec.centre},
          {"root", flow.spec.root},
          {"parameters", {parameters.begin(), parameters.end()}},
          {"bound", {flow.bounds.objective.value}},
          {"bound_error", {flow.bounds.objective.error}},
          {"normal_bound", {flow.bounds_of_normal.elbo.value}},
          {"upper_bound", {flow.bounds.upper.value}},
          {"upper_bound_error", {flow.bounds.upper.error}},
          {"evidence_by_weights", {flow.bounds.weights.value}},
          {"evidence_by_weights_error", {flow.bounds.weights.error}},
          {"num_fit_evaluations", {static_cast<double>(flow.num_evaluations)}}};
}

}  // namespace credo::infer
