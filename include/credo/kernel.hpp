// Your own Markov kernels and proposals, which move a chain from one draw to the next.
//
//   class Walk final : public credo::Kernel {
//    public:
//     explicit Walk(credo::Index dimension) : to_(static_cast<std::size_t>(dimension)) {}
//
//     credo::Step step(credo::Point& at, credo::Random& random) override {
//       for (std::size_t d = 0; d < to_.size(); ++d)
//         to_[d] = at.position()[d] + 0.5 * random.normal();
//       const credo::Answer there = co_await credo::evaluate(to_);
//       const double accept_prob = std::min(1.0, std::exp(there.log_density - at.log_density()));
//       if (random.uniform() < accept_prob) at.move_to(there);
//       co_return {.accept_prob = accept_prob};
//     }
//
//    private:
//     std::vector<double> to_;
//   };
//   const credo::Scheme walk = credo::own("walk", [](credo::Index dimension) {
//     return std::make_unique<Walk>(dimension);
//   });
//   const credo::Fit fit = credo::sample(model, {.scheme = walk});
//
// A kernel moves unconstrained values, with the Jacobian of the constraints in their log density. It must
// leave every log density invariant: credo/check.hpp has the check. credo/scheme.hpp says how a
// kernel is put together with others, and how it moves some of the parameters only.
#pragma once
#include <coroutine>
#include <functional>
#include <limits>
#include <utility>

#include "credo/value.hpp"

namespace credo {

class Rng;

// The random numbers of a transition: a function of the seed, the chain and the transition, so that
// the draws don't depend on threads.
class CREDO_API Random {
 public:
  double uniform();                      // in the open interval (0, 1)
  double uniform(double lo, double hi);  // in [lo, hi]; the ends only by rounding
  double normal();                       // mean 0, standard deviation 1
  double exponential();                  // mean 1
  Index index_below(Index n);            // uniform on 0 .. n - 1. Throws Error(usage) unless n >= 1

  // ---- for the library
  explicit Random(Rng& rng) : rng_(rng) {}
  Rng& rng() { return rng_; }

 private:
  Rng& rng_;
};

// Answer to a question.
struct Answer {
  std::span<const double> position = {};  // the question's position
  double log_density = 0.0;               // -infinity where the point is refused
  std::span<const double> gradient =
      {};  // empty unless requested; undefined if the point was refused
};

// The point of a chain.
class CREDO_API Point {
 public:
  std::span<const double> position() const { return position_; }  // D unconstrained values
  double log_density() const { return log_density_; }             // finite
  std::span<const double> gradient() const { return gradient_; }  // Kernel::needs_gradient()

  // Moves to the question's point. The question's spans must still hold the same
  // numbers. Throws Error(usage) if the point was refused, and if a gradient is needed
  // and wasn't requested.
  void move_to(const Answer& answer);

  Point(std::span<double> position, double& log_density, std::span<double> gradient)
      : position_(position), gradient_(gradient), log_density_(log_density) {}

 private:
  std::span<double> position_, gradient_;
  double& log_density_;
};

// Report of a transition.
struct Transition {
  // Mean acceptance probability of the proposals, in [0, 1]. NaN: no proposal was made.
  double accept_prob = std::numeric_limits<double>::quiet_NaN();
  bool divergent = false;  // a trajectory broke off: its numerical error became too large
};

struct Question;

// Result of Kernel::step: a coroutine that asks with co_await evaluate(...) and ends with co_return
// of a Transition. While it waits, other chains ask; all questions are answered at once.
class [[nodiscard]] Step {
 public:
  struct promise_type {
    Question* pending = nullptr;
    Transition made;
    std::exception_ptr failure;

    Step get_return_object() {
      return Step(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() const noexcept { return {}; }
    std::suspend_always final_suspend() const noexcept { return {}; }
    void return_value(const Transition& transition) { made = transition; }
    void unhandled_exception() { failure = std::current_exception(); }
    Question await_transform(
        const Question& question) const noexcept;  // only questions can be awaited
  };

  Step(Step&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Step& operator=(Step&&) = delete;
  ~Step() {
    if (handle_) handle_.destroy();
  }

  // ---- for who runs it
  // Runs to the next question, or to the end, and then returns null. Passes on exceptions of the kernel.
  Question* resume() {
    handle_.promise().pending = nullptr;
    handle_.resume();
    if (handle_.promise().failure) std::rethrow_exception(handle_.promise().failure);
    return handle_.promise().pending;
  }
  const Transition& made() const { return handle_.promise().made; }

 private:
  explicit Step(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  std::coroutine_handle<promise_type> handle_;
};

// A request that a step waits for.
struct Question {
  std::span<const double> position;
  std::span<double> gradient;
  double log_density = 0.0;  // log density in the answer

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<Step::promise_type> asker) noexcept {
    asker.promise().pending = this;
  }
  Answer await_resume() const noexcept { return {position, log_density, gradient}; }
};
inline Question Step::promise_type::await_transform(const Question& question) const noexcept {
  return question;
}

// Requests the log density at D unconstrained values. With room for D numbers the gradient is written there.
// Both must live until the answer has been used.
inline Question evaluate(std::span<const double> position, std::span<double> gradient = {}) {
  return {.position = position, .gradient = gradient};
}

// A value that warm-up tuned: result files have it, under this name.
struct Setting {
  std::string name;  // letters, digits and underscores
  std::vector<double> values;
};

// One object moves one chain, and is used by one thread at a time: its members are its own, and data that it
// refers to are shared and must not be changed. Its exceptions end the run with Error(evaluation),
// in which they are nested.
class Kernel {
 public:
  virtual ~Kernel() = default;

  // One transition: moves `at`, or leaves it where it is. Both arguments outlive the step.
  virtual Step step(Point& at, Random& random) = 0;

  // True if Point::gradient is known and questions may request gradients. Called once. A kernel that
  // says true is refused where the log density has none.
  virtual bool needs_gradient() const { return false; }

  // ---- warm-up, if there is something to tune
  // After each transition of warm-up that this kernel made. From the end of warm-up on a kernel must
  // stay as it is, because further adaptation doesn't leave the log density invariant.
  virtual void learn(const Point& /*at*/, const Transition& /*made*/) {}
  virtual void finish_warmup() {}  // after the last of them
  virtual std::vector<Setting> settings() const { return {}; }

  // ---- for resumed runs, which no function offers yet
  // State on which the next transition depends, beside the point: tuned values and progress of warm-up.
  virtual std::vector<double> save() const { return {}; }
  virtual void load(std::span<const double> /*saved*/) {}
};

// Makes a kernel that moves D unconstrained values. Called once for each chain, before the run.
using KernelMaker = std::function<std::unique_ptr<Kernel>(Index dimension)>;

// A proposal of Metropolis-Hastings [hastings1970]. It must be able to return from wherever it
// goes. The callables are copied for each chain: their captured values belong to one thread.
struct Proposal {
  // Fills `to`, D finite numbers, from the distribution q(to | from).
  std::function<void(std::span<const double> from, std::span<double> to, Random& random)> draw =
      nullptr;
  // log q(from | to) - log q(to | from), natural logarithms; below +infinity, -infinity if there
  // is no way back.
  std::function<double(std::span<const double> from, std::span<const double> to)> log_ratio =
      nullptr;
};

// The ratio of a proposal for which q(to | from) = q(from | to).
inline double symmetric(std::span<const double> /*from*/, std::span<const double> /*to*/) {
  return 0.0;
}

// Predictions of the values from data [tu2002]: a mixture of normals, wherever the chain is.
// Mixed with a random walk a bad predictor is slow, not wrong; modes that are predicted in one
// proposal are jumped between. Throws Error(usage) unless weights and standard deviations are
// finite and > 0 and means finite, as many as the part moves values.
struct Prediction {
  double weight = 1.0;
  std::vector<double> mean = {}, sd = {};  // one for each value
};
CREDO_API Proposal predicted(std::vector<Prediction> predictions);

// Latent input: a stretch of a latent path is drawn anew from the process that generates it, given
// the rest, so that the likelihood alone decides. Throws Error(usage) for a path or a window of no
// value and for an empty callable. The callables are shared by the chains.
struct Generator {
  Index first = 0,
        count = 0;   // first value and length of the path among the values that the kernel moves
  Index window = 1;  // length of a stretch; at the ends of the path it is cut off
  // Draws values [begin, end) of `position` from the prior, given all other values of the path.
  std::function<void(std::span<double> position, Index begin, Index end, Random& random)>
      regenerate = nullptr;
  // log f(path | other values), up to what doesn't depend on the path.
  std::function<double(std::span<const double> position)> log_prior = nullptr;
};
CREDO_API Proposal regenerated(Generator generator);

}  // namespace credo
