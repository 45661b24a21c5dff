#include "density/state_space.hpp"

#include "base/error.hpp"

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

std::unique_ptr<StateSpaceAt> state_space_of(const LogDensity& density,
                                             std::string_view algorithm) {
  const auto* source = dynamic_cast<const HasStateSpace*>(&density);
  if (source == nullptr)
    throw Error(ErrorCode::usage, "this log density tells no state-space model",
                std::string(algorithm),
                "take a Stan program that states one by functions of its functions block: "
                "docs/algorithms/filters.md");
  return source->make_state_space();
}

}  // namespace credo::density
