// A state-space model as a Feynman-Kac model: an initial law, a kernel and a potential for each time
// [delmoral2004; chopin2020, ch. 5]. With states x_t and outcomes y_t,
//
//   bootstrap   M_1 = p(x_1), M_t = p(x_t | x_{t-1}),      log G_t = log p(y_t | x_t)
//   guided      M_t = q(x_t | x_{t-1}, y_t),               log G_t = log p(y_t | x_t) + log p(x_t | x_{t-1}) - log q(x_t | ...)
//
// and G_t = 1, M_t = p where y_t is missing. The normaliser of the last time is the likelihood p(y_1, ..., y_T).
#pragma once
#include "base/error.hpp"
#include "density/layout.hpp"
#include "density/query.hpp"

namespace credo::density {

enum class Kernel { bootstrap, guided };

// Some particles of one time. Elements lie as [element][kBlock].
struct ParticleBlock {
  Index time = 0;   // from 0
  Index first = 0;  // the number of the first particle, a multiple of kBlock
  Index count = 0;  // particles; places behind them are filled and mean nothing
  std::uint64_t seed =
      0;  // of this time and run; what is drawn depends on it and on the particles' numbers
  const double* previous = nullptr;  // states of the time before; null at time 0
  double* next = nullptr;            // states that are drawn
  double* log_weights = nullptr;     // log G; kBlock places
};

// Working memory of one thread. Throws Error where a function of the model fails.
class StateMover {
 public:
  virtual ~StateMover() = default;
  virtual void move(const ParticleBlock& block) = 0;
  // log eta(x_{t-1}, y_t), an approximation of log p(y_t | x_{t-1}), of the states `previous`, to `log_weights`.
  virtual void look_ahead(const ParticleBlock& block) = 0;
  // log p(x_t | x_{t-1}) of the states `next`, which are read, after the states `previous`, to `log_weights`. Of models that can
  // weigh transitions.
  virtual void weigh_transition(const ParticleBlock&) {
    throw Error(ErrorCode::internal, "the model can't weigh transitions", "weigh_transition");
  }
};

class StateSpace {
 public:
  static constexpr Index kBlock = 512;
  virtual ~StateSpace() = default;

  virtual Index num_times() const = 0;
  virtual const Layout& state() const = 0;  // the elements of one state
  virtual bool is_observed(Index time) const = 0;
  virtual Capability can(Kernel kernel) const = 0;
  virtual Capability can_look_ahead() const = 0;
  virtual Capability can_weigh_transitions() const {
    return {.can = false, .reason = "the model has no density of its transition"};
  }
  virtual std::unique_ptr<StateMover> make_mover(Kernel kernel) const = 0;
};

}  // namespace credo::density
