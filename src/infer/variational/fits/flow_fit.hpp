// The flow (infer/maps/flow.hpp) that makes an objective best. It begins at the normal distribution with the highest evidence bound, and its
// layers as the identity, so that it can only gain; steps are by estimated gradients (climb_stochastic.hpp).
#pragma once
#include "infer/maps/flow.hpp"
#include "infer/maps/map_values.hpp"
#include "infer/variational/climbs/bound.hpp"
#include "infer/variational/families/graph_family.hpp"

namespace credo::infer {

inline constexpr FieldSpec kLayersField{
    .name = "layers",
    .help =
        "layers of the flow with their numbers, joined by commas: affine, iaf, maf, ode, "
        "planar, spline",
    .values = "*"};
inline constexpr FieldSpec kHiddenField{.name = "hidden",
                                        .help = "units of the network of each layer",
                                        .range = {.lo = 1.0, .hi = 10'000.0}};

inline constexpr std::array kFlowClimbFields = {
    ClimbField{"objective", "objective of the climb: elbo, iwae:S, renyi:a, or chi2"},
    ClimbField{"num_starts"},
    ClimbField{"num_fresh"},
    ClimbField{"step_draws", "draws of a step; 100 at least of chi2"},
    ClimbField{"step", "first step size, of the weights of the networks"},
    ClimbField{"tolerance", "nats by which halved steps must raise the bound to be halved again"},
    ClimbField{"max_steps"}};

struct FlowOptions {
  std::string layers = "iaf:5";
  Index hidden = 32;
  BoundOptions climb = standard_climb();

  static BoundOptions standard_climb() {
    BoundOptions climb;
    climb.gradient = "reparam", climb.optimizer = "adam";
    climb.step_draws = 32, climb.step = 0.02, climb.max_steps = 20'000;
    climb.tolerance = 0.01;  // nats
    return climb;
  }
  static void describe(auto& self, auto&& field) {
    field(self.layers, kLayersField);
    field(self.hidden, kHiddenField);
    describe_climb(self.climb, kFlowClimbFields, field);
  }
};

struct FittedFlow : ClimbResult {
  FlowSpec spec;
  std::shared_ptr<GraphFamily> family;  // at its best member
  FreshBounds bounds, bounds_of_normal;
  bool is_start = false;  // the climb found nothing better than the normal distribution
};

// A function of density, options and their seed. Throws as maximise_bound does, and Error(usage) for layers that there aren't.
FittedFlow fit_flow(const density::LogDensity& density, const FlowOptions& options);

MapValues values_of(const FittedFlow& flow);

// For the result, from which the flow is read back: centre, root, parameters, and the bounds.
std::vector<TunedSetting> figures_of(const FittedFlow& flow);

}  // namespace credo::infer
