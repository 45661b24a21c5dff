// Chains in the base space of a map that takes N(0, I) to an approximation [hoffman2019]: a fit that a command read from its file, or a flow
// that is fitted first (flow_fit.hpp). The algorithm there is one of a few rows; drawing from N(0, I) there is drawing from the approximation, so
// that `importance` and `independence` have it as their proposal.
#pragma once
#include "infer/maps/map_values.hpp"
#include "infer/mcmc/hamiltonian/nuts.hpp"
#include "infer/variational/fits/flow_fit.hpp"

namespace credo::infer {

// The sampler that `--through` chooses; nothing for a sampler that can't run there.
std::optional<std::string> base_sampler(std::string_view sampler);
// False for a base whose draws are independent: its runs have no warm-up.
bool has_warmup_there(std::string_view base);
inline constexpr std::string_view kNeutraName = "neutra";
// The base that weighs draws of the approximation, and estimates the evidence.
inline constexpr std::string_view kProposalBase = "importance";

// A flow that chains move through must be right in tails that few of its own draws reach: more draws a step, and levels of steps that end
// later. One layer continues its linear scales there, where a stack bends them (docs/design/approximations.md).
inline FlowOptions flow_for_chains() {
  FlowOptions flow;
  flow.layers = "iaf:1";
  flow.climb.step_draws = 128, flow.climb.tolerance = 0.001;
  return flow;
}

struct NeutraOptions {
  std::string through = {};
  std::string base = "nuts";
  MapValues map;
  FlowOptions flow = flow_for_chains();
  NutsOptions nuts;

  static void describe(auto& self, auto&& field) {
    field(self.through,
          FieldSpec{.name = "through",
                    .help = "a result of credo approximate (flow, normal, laplace, moments), in "
                            "the base space of whose distribution the algorithm runs; none: a "
                            "flow is fitted first",
                    .values = "*"});
    field(self.base, FieldSpec{.name = "base",
                               .help = "algorithm in the base space; the distribution is the "
                                       "proposal of importance and independence",
                               .values = "nuts|importance|independence|slice"});
    field(self.map, FieldSpec{.name = "map", .help = "the map that was read"});
    field(self.flow, FieldSpec{.name = "flow", .help = "the flow that is fitted"});
    field(self.nuts, FieldSpec{.name = "nuts", .help = "transitions of nuts"});
  }
};

}  // namespace credo::infer
