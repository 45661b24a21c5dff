// Step<T>: a coroutine that asks for evaluations, and evaluate(), by which it does.
//
//   Step<Info> Kernel::step(State& state, Rng& rng) {
//     …
//     const Evaluation at = co_await evaluate(position, gradient);
//
// A step is started and resumed by a group (infer/core/group.hpp), which answers the waiting steps of
// its chains with one batch. A Step may co_await another Step; the group only sees the outermost
// one.
//
// Rules: parameters by value or outliving the step. Awaited objects hold spans, references and
// numbers only (g++ 12 destroys aggregate temporaries inside co_await twice). The state of a run is
// copied and saved between steps, never inside one.
#pragma once
#include <coroutine>

#include "base/rng.hpp"
#include "density/log_density.hpp"

namespace credo::infer {

struct Evaluation {
  double log_density;
  density::Status status;
};

struct Nothing {};  // result of a Step that has none

// Memory of the few coroutine frames a kernel has alive at a time; grown once, then reused. A copy
// is a new pool: frames belong to the kernel that made them.
class FramePool {
 public:
  FramePool() = default;
  FramePool(const FramePool&) noexcept {}
  FramePool& operator=(const FramePool&) noexcept { return *this; }
  ~FramePool();

  static void* allocate(FramePool* pool, std::size_t size);  // without a pool: from the heap
  static void release(void* frame) noexcept;

 private:
  struct Header;
  Header* spare_ = nullptr;  // a list
};

struct Evaluate;

// The part of a promise that doesn't depend on the result. `leaf` and `pending` are used in the
// root.
struct StepPromise {
  std::coroutine_handle<> continuation = nullptr;  // the Step that awaits this one
  StepPromise* root = this;                        // first in the chain of awaiting Steps
  std::coroutine_handle<> leaf = nullptr;          // where the chain resumes
  Evaluate* pending = nullptr;                     // what the chain waits for
  std::exception_ptr failure;
};

struct ChainProgram;  // infer/core/group.hpp

// Awaitable: one evaluation, many of one kind, or the ends of other programs. See evaluate(), evaluate_all() and
// run_parts().
struct Evaluate {
  density::Want want;
  density::Request request;
  std::span<density::Request* const> many = {};  // if not empty, evaluated instead of `request`
  std::vector<ChainProgram>* parts =
      nullptr;  // if there are any, they are run instead of a request

  bool await_ready() const noexcept { return false; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> asker) noexcept {
    StepPromise& root = *asker.promise().root;
    root.leaf = asker;
    root.pending = this;
  }
  Evaluation await_resume() const noexcept { return {request.log_density, request.status}; }
};

// Log density at a position; the gradient is written where there is room for it. Both spans must
// live until the answer.
inline Evaluate evaluate(std::span<const double> position, std::span<double> gradient = {}) {
  const auto want = gradient.empty() ? density::Want::value : density::Want::gradient;
  return {.want = want, .request = {.position = position, .gradient = gradient, .status = {}}};
}

// The matrix of a kind at a position; and the gradient of its sum under fixed weights. Refused
// where the status isn't ok.
inline Evaluate evaluate_matrix(density::Want want, std::span<const double> position,
                                std::span<double> matrix) {
  return {.want = want,
          .request = {.position = position, .gradient = {}, .status = {}, .matrix = matrix}};
}
inline Evaluate evaluate_slope(density::Want want, std::span<const double> position,
                               std::span<const double> weights, std::span<double> slope) {
  return {.want = want,
          .request = {.position = position, .gradient = slope, .status = {}, .weights = weights}};
}

// All requests in one batch; they carry the answers, a refused one -infinity. They, and the list of
// them, must live until the answer.
inline Evaluate evaluate_all(density::Want want, std::span<density::Request* const> requests) {
  return {.want = want, .request = {}, .many = requests};
}

// Runs all parts to their ends, each on the next free thread: they are independent, and request no parts
// themselves. Their counts go to the caller, in their order. They must live until then; the outermost step alone can ask.
inline Evaluate run_parts(std::vector<ChainProgram>& parts) {
  return {.want = density::Want::value, .request = {}, .parts = &parts};
}

// Base of kernels whose step() takes its frame from a pool of theirs.
struct PooledKernel {
  FramePool frames;
};

// Stands for any parameter of a coroutine.
struct AnyParameter {
  template <class T>
  AnyParameter(T&) noexcept {}  // NOLINT: implicit
};

template <class T>
class [[nodiscard]] Step {
 public:
  struct promise_type;
  using Handle = std::coroutine_handle<promise_type>;

  struct Final {  // hands over to the awaiting Step
    bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(Handle finished) const noexcept {
      const std::coroutine_handle<> next = finished.promise().continuation;
      return next ? next : std::noop_coroutine();
    }
    void await_resume() const noexcept {}
  };

  struct promise_type : StepPromise {
    T result{};
    Step get_return_object() { return Step(Handle::from_promise(*this)); }
    std::suspend_always initial_suspend() const noexcept { return {}; }
    Final final_suspend() const noexcept { return {}; }
    void return_value(const T& value) { result = value; }
    void unhandled_exception() { failure = std::current_exception(); }

    // A kernel's step(State&, Rng&) takes its frame from the kernel; other Steps are rare and use
    // the heap. Not a template: g++ 12 would not see that it pairs with operator delete.
    static void* operator new(std::size_t size, PooledKernel& kernel, AnyParameter, AnyParameter) {
      return FramePool::allocate(&kernel.frames, size);
    }
    static void* operator new(std::size_t size, PooledKernel& kernel) {
      return FramePool::allocate(&kernel.frames, size);
    }
    static void* operator new(std::size_t size, PooledKernel& kernel, AnyParameter) {
      return FramePool::allocate(&kernel.frames, size);
    }
    static void* operator new(std::size_t size) { return FramePool::allocate(nullptr, size); }
    static void operator delete(void* frame) { FramePool::release(frame); }
  };

  Step(Step&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Step& operator=(Step&&) = delete;
  ~Step() {
    if (handle_) handle_.destroy();
  }

  // For a group: runs to the next question or to the end. Throws what the coroutine threw.
  void resume() {
    StepPromise& promise = handle_.promise();
    promise.pending = nullptr;
    (promise.leaf ? promise.leaf : std::coroutine_handle<>(handle_)).resume();
    if (promise.failure) std::rethrow_exception(promise.failure);
  }
  bool done() const { return handle_.done(); }
  Evaluate* pending() const { return handle_.promise().pending; }
  const T& result() const { return handle_.promise().result; }

  // For another Step.
  bool await_ready() const noexcept { return false; }
  template <class Promise>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> parent) noexcept {
    handle_.promise().continuation = parent;
    handle_.promise().root = parent.promise().root;
    return handle_;
  }
  T await_resume() const {
    if (handle_.promise().failure) std::rethrow_exception(handle_.promise().failure);
    return handle_.promise().result;
  }

 private:
  explicit Step(Handle handle) : handle_(handle) {}
  Handle handle_;
};

}  // namespace credo::infer
