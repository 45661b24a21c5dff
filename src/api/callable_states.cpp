#include "api/callable_states.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/error.hpp"
#include "base/rng.hpp"

namespace credo {
namespace {
using density::Kernel;
using density::ParticleBlock;
constexpr Index kBlock = density::StateSpace::kBlock;

density::Capability lacks(const char* reason, const char* hint) {
  return {.can = false, .reason = reason, .where = "with_states", .hint = hint};
}

// At the parameters that it holds.
class CallableStates final : public density::StateSpace {
 public:
  CallableStates(credo::StateSpace callables, std::vector<double> theta)
      : callables_(std::move(callables)), theta_(std::move(theta)), state_({state_variable()}) {}

  Index num_times() const override { return callables_.num_times; }
  const density::Layout& state() const override { return state_; }
  bool is_observed(Index) const override { return true; }
  density::Capability can(Kernel kernel) const override {
    if (kernel == Kernel::bootstrap) return {};
    return lacks("a state space by callables has no proposal", "take the bootstrap filter");
  }
  density::Capability can_look_ahead() const override {
    return lacks("a state space by callables has no look-ahead", "take the bootstrap filter");
  }
  density::Capability can_weigh_transitions() const override {
    if (callables_.log_transition != nullptr) return {};
    return lacks("the state space has no log_transition", "state the density of draw_transition");
  }
  std::unique_ptr<density::StateMover> make_mover(Kernel) const override {
    return std::make_unique<Mover>(*this);
  }

 private:
  // Has copies of the callables: it belongs to one thread.
  class Mover final : public density::StateMover {
   public:
    explicit Mover(const CallableStates& model)
        : callables_(model.callables_),
          theta_(model.theta_),
          previous_(static_cast<std::size_t>(callables_.num_elements)),
          state_(previous_.size()) {}

    void move(const ParticleBlock& block) override {
      guarded([&] { move_all(block); });
    }
    void look_ahead(const ParticleBlock&) override {}
    void transitions(const ParticleBlock& block) override {
      guarded([&] {
        for (Index i = 0; i < block.count; ++i) {
          read(block.previous, i, previous_);
          read(block.next, i, state_);
          block.log_weights[i] = callables_.log_transition(theta_, block.time, previous_, state_);
        }
      });
    }

   private:
    static void guarded(auto&& work) {
      try {
        work();
      } catch (const Rejection& rejection) {
        throw Error(ErrorCode::evaluation, rejection.what());
      } catch (const Error&) {
        throw;
      } catch (const std::exception& failure) {
        std::throw_with_nested(Error(ErrorCode::evaluation,
                                     fmt::format("the state space threw: {}", failure.what()), {},
                                     "throw credo::Rejection to refuse a point"));
      }
    }
    static void read(const double* elements, Index particle, std::span<double> state) {
      for (std::size_t e = 0; e < state.size(); ++e)
        state[e] = elements[static_cast<Index>(e) * kBlock + particle];
    }
    void move_all(const ParticleBlock& block) {
      for (Index i = 0; i < block.count; ++i) {
        Rng rng({.seed = block.seed, .purpose = purpose::kFilter, .chain = 1, .iteration = 0},
                static_cast<std::uint64_t>(block.first + i));
        Rng own({.seed = rng.bits(), .purpose = purpose::kFilter, .chain = 1, .iteration = 1});
        Random random(own);
        draw(block, i, random);
        const double log_weight = callables_.log_observation(theta_, block.time, state_);
        // Places behind the last particle are filled with it.
        for (Index to = i; to < (i + 1 < block.count ? i + 1 : kBlock); ++to) {
          for (std::size_t e = 0; e < state_.size(); ++e)
            block.next[static_cast<Index>(e) * kBlock + to] = state_[e];
          block.log_weights[to] = log_weight;
        }
      }
    }
    void draw(const ParticleBlock& block, Index particle, Random& random) {
      if (block.time == 0) return callables_.draw_initial(theta_, random, state_);
      read(block.previous, particle, previous_);
      callables_.draw_transition(theta_, block.time, previous_, random, state_);
    }

    credo::StateSpace callables_;
    const std::vector<double>& theta_;
    std::vector<double> previous_, state_;
  };

  density::Variable state_variable() const {
    density::Variable variable{.name = "state"};
    if (callables_.num_elements > 1) variable.dims = {callables_.num_elements};
    return variable;
  }

  credo::StateSpace callables_;
  std::vector<double> theta_;
  density::Layout state_;
};

// The callables see finite parameters only, as log densities do. Samplers refuse the point.
void require_finite(std::span<const double> theta, ErrorCode code) {
  for (std::size_t k = 0; k < theta.size(); ++k)
    if (!std::isfinite(theta[k]))
      throw Error(code, fmt::format("parameter number {} is {}, must be finite", k + 1, theta[k]),
                  "theta of the state space");
}

class CallableStatesAt final : public density::StateSpaceAt {
 public:
  CallableStatesAt(const ParameterMap& map, const credo::StateSpace& callables)
      : map_(map), callables_(callables) {}

  std::span<const Index> state_coordinates() const override { return {}; }
  const density::StateSpace& at(std::span<const double> position) override {
    std::vector<double> theta = map_.constrain(position);
    require_finite(theta, ErrorCode::evaluation);
    now_ = std::make_unique<CallableStates>(callables_, std::move(theta));
    return *now_;
  }

 private:
  const ParameterMap& map_;
  const credo::StateSpace& callables_;
  std::unique_ptr<CallableStates> now_;
};
}  // namespace

std::unique_ptr<density::StateSpaceAt> make_callable_states(const ParameterMap& map,
                                                            const StateSpace& states) {
  return std::make_unique<CallableStatesAt>(map, states);
}

std::unique_ptr<density::StateSpace> make_callable_states_at(const StateSpace& states,
                                                             std::vector<double> theta) {
  require_finite(theta, ErrorCode::usage);
  return std::make_unique<CallableStates>(states, std::move(theta));
}

void require_complete(const StateSpace& states) {
  if (states.draw_initial == nullptr || states.draw_transition == nullptr ||
      states.log_observation == nullptr)
    throw Error(ErrorCode::usage,
                "a state space needs draw_initial, draw_transition and log_observation",
                "StateSpace");
  if (states.num_times < 1 || states.num_elements < 1)
    throw Error(ErrorCode::usage, "a state space has at least one time and one element",
                "StateSpace");
}

}  // namespace credo
