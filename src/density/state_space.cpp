#include "density/state_space.hpp"

#include "base/error.hpp"
#include "density/learnable_space.hpp"

namespace credo::density {
namespace {
[[noreturn]] void cannot_weigh() {
  throw Error(ErrorCode::internal, "this state-space model doesn't weigh given states", "states");
}
}  // namespace

void StateMover::transitions(const ParticleBlock&) { cannot_weigh(); }
void StateMover::weigh(std::span<const GivenState>, std::span<double>, std::span<double>) {
  cannot_weigh();
}

Capability StateSpace::can_weigh_states() const {
  return {.can = false,
          .reason = "the model has no density of its states",
          .hint = "state one: initial_lpdf and transition_lpdf"};
}

Capability StateSpace::can_weigh_transitions() const {
  return {.can = false, .reason = "the model has no density of its transition"};
}

std::unique_ptr<StateSpaceAt> LogDensity::make_state_space() const { return nullptr; }

std::unique_ptr<StateSpaceAt> state_space_of(const LogDensity& density,
                                             std::string_view algorithm) {
  std::unique_ptr<StateSpaceAt> space = density.make_state_space();
  if (space == nullptr)
    throw Error(ErrorCode::usage, "this log density has no state-space model",
                std::string(algorithm),
                "take a Stan program that states one by functions of its functions block: "
                "docs/algorithms/filters.md");
  return space;
}

void require_likelihood(const LogDensity& density, std::string_view who) {
  const Capability can = density.has_likelihood();
  if (!can.can)
    throw Error(ErrorCode::program, std::string(who) + " needs the likelihood, and " + can.reason,
                can.where, can.hint);
}

std::vector<double> proposal_features(std::span<const double> previous, Index num_elements,
                                      std::span<const double> outcome) {
  std::vector<double> features{previous.empty() ? 1.0 : 0.0};
  for (Index e = 0; e < num_elements; ++e)
    features.push_back(previous.empty() ? kNaN : previous[static_cast<std::size_t>(e)]);
  features.insert(features.end(), outcome.begin(), outcome.end());
  return features;
}

}  // namespace credo::density
