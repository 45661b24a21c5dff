#include "infer/variational/fits/amortised_flow_fit.hpp"

#include "base/error.hpp"
#include "infer/core/needs.hpp"
#include "infer/maps/flow.hpp"
#include "infer/variational/climbs/batches.hpp"
#include "infer/variational/climbs/bound_figures.hpp"
#include "infer/variational/climbs/climb_guard.hpp"
#include "infer/variational/families/amortised_flow.hpp"
#include "infer/variational/fits/named_blocks.hpp"
#include "infer/variational/fits/sleep.hpp"

namespace credo::infer {
namespace {

// The number of steps in "iaf:T".
Index num_steps_of(const std::string& layers) {
  const std::vector<std::string> names = parse_layers(layers);
  for (const std::string& name : names)
    if (name != "iaf")
      throw Error(ErrorCode::usage,
                  "local values are bent by gated autoregressive steps, not by '" + name + "'",
                  "layers", "take --layers iaf:2, or another number");
  return ssize(names);
}

void require_steps(const AmortizedOptions& own) {
  const auto refuse_if = [](bool is_set, const char* field, const char* why, const char* hint) {
    if (is_set) throw Error(ErrorCode::usage, why, field, hint);
  };
  const BoundOptions& climb = own.climb;
  const char* leave = "leave it out, or --layers";
  refuse_if(own.semi > 0, "semi", "inner steps move normal distributions only", leave);
  refuse_if(own.auxiliary > 0, "auxiliary", "auxiliary variables are those of normal distributions",
            leave);
  refuse_if(!own.refine.empty(), "refine", "points at refined draws take normal distributions",
            leave);
  refuse_if(climb.covariance == CovarianceShape::low_rank, "covariance",
            "values beside a flow have a full or a diagonal covariance", "take one of these");
  refuse_if(climb.gradient != "auto" && climb.gradient != "reparam", "gradient",
            "gradients of flows are those along the paths of draws", "leave --gradient out");
  refuse_if(climb.optimizer == "lbfgs" || climb.optimizer == kNaturalSteps ||
                climb.optimizer == "foovb" || climb.optimizer == "bgd",
            "optimizer", "flows are climbed by steps with estimated gradients",
            "take --optimizer adam, or leave it out");
  const char* others = "take elbo, iwae:S, renyi:a or chi2";
  refuse_if(climb.objective == kSleep, "objective", "sleep fits normal distributions", others);
  const Objective objective = parse_objective(climb.objective);
  refuse_if(objective.is_forward || objective.is_generalised(), "objective",
            "this objective takes scores, which only normal distributions have", others);
}

void require_vectors(const AmortisedSetup& setup) {
  const NetworkBlock& block = setup.blocks.front();
  if (ssize(block.coordinates) > block.features.num_rows) return;
  throw Error(ErrorCode::usage,
              "each row has one local value, of which autoregressive steps make a normal "
              "distribution again",
              "layers", "leave --layers out, or name local vectors, or several parameters");
}

// The amortised normal distribution by its evidence bound; options of steps are those of the flow, unless both work in batches.
AmortizedOptions options_of_start(const AmortizedOptions& own) {
  AmortizedOptions start = own;
  start.layers = {};
  start.climb.objective = "elbo", start.climb.gradient = "auto";
  if (own.climb.batch > 0) return start;
  const BoundOptions standard;
  start.climb.optimizer = standard.optimizer, start.climb.step_draws = standard.step_draws;
  start.climb.step = standard.step, start.climb.stop = standard.stop;
  start.climb.tolerance = standard.tolerance, start.climb.max_steps = standard.max_steps;
  start.climb.window = standard.window, start.climb.patience = standard.patience;
  return start;
}

BoundOptions options_of_climb(const AmortizedOptions& own) {
  BoundOptions climb = own.climb;
  climb.gradient = "reparam";
  if (climb.optimizer == "auto") climb.optimizer = "adam";
  return climb;
}

ClimbResult climb_flow(const density::LogDensity& density, const BoundOptions& climb,
                       GraphFamily& family) {
  const Objective objective = parse_objective(climb.objective);
  const EstimatorSpec& estimator = find_estimator(climb.gradient, objective);
  const auto batches = climb.batch > 0 ? density_of_batches(density, climb.batch) : nullptr;
  const StochasticClimbSetup setup{batches ? *batches : density, batches ? density.num_rows() : 0,
                                   objective, estimator, climb};
  return climb_guarded(density, setup, family);
}
}  // namespace

FittedAmortisedFlow bend_amortised(const density::LogDensity& density, const BestNormal& normal,
                                   const AmortisedSetup& setup, Index num_steps,
                                   const BoundOptions& climb) {
  const auto& start = static_cast<const AmortisedNormal&>(*normal.family);
  FittedAmortisedFlow flow;
  flow.family = std::make_shared<GraphFamily>(make_amortised_flow(start, setup, num_steps));
  static_cast<ClimbResult&>(flow) = climb_flow(density, climb, *flow.family);
  flow.bounds = bounds_by_new_draws(density, *flow.family, climb);
  flow.bounds_of_normal = normal.bounds;
  const Objective objective = parse_objective(climb.objective);
  flow.is_start = objective.is_elbo() && !(flow.bounds.elbo.value > normal.bounds.elbo.value);
  if (flow.is_start) {
    flow.family->move_to(flow.family->start());
    flow.bounds = bounds_by_new_draws(density, *flow.family, climb);
  }
  flow.bound = objective.is_upper() ? flow.bounds.elbo : flow.bounds.objective;
  flow.num_evaluations += normal.num_evaluations + climb.num_fresh;
  return flow;
}

FittedAmortisedFlow fit_amortised_flow(const density::LogDensity& density,
                                       const AmortizedOptions& options) {
  require_needs(options);
  require_steps(options);
  const Index num_steps = num_steps_of(options.layers);
  AmortisedSetup setup = amortised_setup(density, options);
  require_vectors(setup);
  const BestNormal normal = fit_amortised(density, options_of_start(options));
  const Index num_rest =
      ssize(static_cast<const AmortisedNormal&>(*normal.family).rest_coordinates());
  if (setup.rest == CovarianceShape::automatic)
    setup.rest =
        num_rest <= kMostOfFullCovariance ? CovarianceShape::full : CovarianceShape::diagonal;
  return bend_amortised(density, normal, setup, num_steps, options_of_climb(options));
}

std::vector<TunedSetting> figures_of(const FittedAmortisedFlow& flow) {
  std::vector<TunedSetting> figures = figures_of_bounds(flow.bound, flow.bounds);
  const std::span<const double> parameters = flow.family->parameters();
  figures.push_back({"parameters", {parameters.begin(), parameters.end()}});
  figures.push_back({"normal_bound", {flow.bounds_of_normal.elbo.value}});
  figures.push_back({"num_fit_evaluations", {static_cast<double>(flow.num_evaluations)}});
  return figures;
}

}  // namespace credo::infer
