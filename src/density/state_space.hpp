// A state-space model as a Feynman-Kac model: an initial distribution, a kernel and a potential for each time
// [delmoral2004; chopin2020, ch. 5]. With states x_t and outcomes y_t,
//
//   bootstrap   M_1 = p(x_1), M_t = p(x_t | x_{t-1}),      log G_t = log p(y_t | x_t)
//   guided      M_t = q(x_t | x_{t-1}, y_t),               log G_t = log p(y_t | x_t) + log p(x_t | x_{t-1}) - log q(x_t | ...)
//
// and G_t = 1, M_t = p where y_t is missing. The normaliser of the last time is the likelihood p(y_1, ..., y_T).
#pragma once
#include "density/layout.hpp"
#include "density/log_density.hpp"

namespace credo::density {

enum class Kernel { bootstrap, guided };

// Some particles of one time. Elements lie as [element][kBlock].
struct ParticleBlock {
  Index time = 0;   // from 0
  Index first = 0;  // the number of the first particle, a multiple of kBlock
  Index count = 0;  // particles; places behind them are filled and mean nothing
  std::uint64_t seed =
      0;  // key of this time and run; draws depend on it and on the particles' numbers
  const double* previous = nullptr;  // states of the time before; null at time 0
  double* next = nullptr;            // states that are drawn
  double* log_weights = nullptr;     // log G; kBlock places
  // For models that make states of uniform numbers instead of drawing them: [element][kBlock], within (0, 1).
  const double* uniforms = nullptr;
};

// A state that is known, with the one before it (null at time 0): elements one after another.
struct GivenState {
  Index time = 0;
  const double* previous = nullptr;
  const double* state = nullptr;
};

// Working memory of one thread. Throws Error where a function of the model fails.
class StateMover {
 public:
  virtual ~StateMover() = default;
  virtual void move(const ParticleBlock& block) = 0;
  // log eta(x_{t-1}, y_t), an approximation of log p(y_t | x_{t-1}), of the states `previous`, to `log_weights`.
  virtual void look_ahead(const ParticleBlock& block) = 0;

  // For models that can weigh states (StateSpace::can_weigh_states()). log p(x_t | x_{t-1}) of the states `next` given
  // `previous`, at time 0 log p(x_1), to `log_weights`.
  virtual void transitions(const ParticleBlock& block);
  // One number each: log p(x_t | x_{t-1}), and the log G that the mover would give the state if it had drawn it.
  virtual void weigh(std::span<const GivenState> states, std::span<double> log_transitions,
                     std::span<double> log_weights);
};

// Outcomes that a model draws of states, of one time after another. Working memory of one thread.
class OutcomeDraws {
 public:
  virtual ~OutcomeDraws() = default;
  virtual Index size() const = 0;               // numbers of one outcome
  virtual bool is_asked(Index time) const = 0;  // outcomes of this time are to be forecast
  // One outcome of each of the states `next`: [element][kBlock]. Throws Error where a function of the model fails.
  virtual void draw(const ParticleBlock& block, double* outcomes) = 0;
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
  virtual Capability can_weigh_states() const;       // no, unless a model says otherwise
  virtual Capability can_weigh_transitions() const;  // of times after the first: the same
  virtual std::unique_ptr<StateMover> make_mover(Kernel kernel) const = 0;
};

// The state-space model of a log density, at any of its points; working memory of one chain.
class StateSpaceAt {
 public:
  virtual ~StateSpaceAt() = default;
  // The coordinates of the states in a position, time by time and element by element. Empty: the states aren't parameters,
  // and the log density is the prior of the other parameters.
  virtual std::span<const Index> state_coordinates() const = 0;
  // The model at the parameters of a position, until the next call. Throws Error(evaluation) where the model refuses them.
  virtual const StateSpace& at(std::span<const double> position) = 0;
};

// Throws Error(program) if only filters can compute the likelihood of this density. `who` is the algorithm that asks
// ("nuts"); the hint names algorithms that can be used.
void require_likelihood(const LogDensity& density, std::string_view who);

// Throws Error(usage) for a density without states; the message names the algorithm.
std::unique_ptr<StateSpaceAt> state_space_of(const LogDensity& density, std::string_view algorithm);

}  // namespace credo::density
