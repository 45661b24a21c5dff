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
        "layers of the flow with their numbers, joined by commas: affine, iaf, maf, planar, "
        "spline",
    .values = "*"};
inline constexpr FieldSpec kHiddenField{.name = "hidden",
                                        .help = "units of the network of each layer",
                                        .range = {.lo = 1.0, .hi = 10'000.0}};

struct FlowOptions {
  std::string layers = "iaf:5";
  Index hidden = 32;
  std::string objective = "elbo";
  Index num_starts = 8;
  Index num_fresh = 10'000;
  Index step_draws = 32;
  double step = 0.02;
  double tolerance = 0.01;  // nats
  Index max_steps = 20'000;
  std::function<void(const FitProgress&)> on_fit = nullptr;
  Index num_threads = 1;  // threads of an evaluation; no value depends on them

  static void describe(auto& self, auto&& field) {
    field(self.layers, kLayersField);
    field(self.hidden, kHiddenField);
    field(self.objective,
          FieldSpec{.name = "objective",
                    .help = "objective of the climb: elbo, iwae:S, renyi:a, or chi2"});
    field(self.num_starts,
          FieldSpec{.name = "num_starts",
                    .help = "climbs to modes, at the heaviest of which the fit begins; without a "
                            "mode starts from the prior, the best of which continues",
                    .range = {.lo = 1.0, .hi = 1e6}});
    field(self.num_fresh, FieldSpec{.name = "num_fresh",
                                    .help = "draws of the reported bounds",
                                    .range = {.lo = 2.0, .hi = 1e9}});
    field(self.step_draws, FieldSpec{.name = "step_draws",
                                     .help = "draws of a step; 100 at least of chi2",
                                     .range = {.lo = 1.0, .hi = 1e6}});
    field(self.step, FieldSpec{.name = "step",
                               .help = "first step size, of the weights of the networks",
                               .range = positive()});
    field(self.tolerance,
          FieldSpec{.name = "tolerance",
                    .help = "nats by which halved steps must raise the bound to be halved again",
                    .range = positive()});
    field(self.max_steps,
          FieldSpec{.name = "max_steps", .help = "steps at most", .range = {.lo = 1.0, .hi = 1e9}});
  }
};

struct FittedFlow : ClimbResult {
  FlowSpec spec;
  std::shared_ptr<GraphFamily> family;  // at its best member
  FreshBounds bounds, bounds_of_normal;
  bool is_start = false;  // the climb found nothing better than the normal distribution
};

// A function of density, options and seed. Throws as maximise_bound does, and Error(usage) for layers that there aren't.
FittedFlow fit_flow(const density::LogDensity& density, const FlowOptions& options,
                    std::uint64_t seed);

MapValues values_of(const FittedFlow& flow);

// For the result, from which the flow is read back: centre, root, parameters, and the bounds.
std::vector<TunedSetting> figures_of(const FittedFlow& flow);

}  // namespace credo::infer
