// Ending work early. The caller that starts work names a flag; the work checks it and stops once it is
// set.
//
//   const StopScope scope(&flag);  // this thread's work checks `flag` from now on
//   ... stop_if_asked();           // throws Stopped once it is set
//
// Long computations check it every few milliseconds: the interpreter at each step, a graph at each
// node, a program between instructions and blocks, dense linear algebra between blocks of columns,
// files between pieces. A check costs a load. A flag that is set stays so: interrupted work
// is never continued.
#pragma once
#include <atomic>

#include "base/std.hpp"

namespace credo {

using StopFlag = std::atomic<bool>;  // set to end the work, for example by a signal handler

// Not an Error: it isn't a failure, so no caller tries another way because of it.
struct Stopped {};

namespace stop_detail {
inline constinit const StopFlag kNever{false};
inline constinit thread_local const StopFlag* flag = &kNever;
[[noreturn]] void give_up();
}  // namespace stop_detail

// This thread's, to hand on to others that help it. Never null.
inline const StopFlag* current_stop() { return stop_detail::flag; }

inline bool stop_asked() { return stop_detail::flag->load(std::memory_order_relaxed); }

inline void stop_if_asked() {
  if (stop_asked()) [[unlikely]]
    stop_detail::give_up();
}

// The thread's flag until the end of the scope; without one the work can't be stopped.
class StopScope {
 public:
  explicit StopScope(const StopFlag* flag = nullptr)
      : before_(std::exchange(stop_detail::flag, flag != nullptr ? flag : &stop_detail::kNever)) {}
  ~StopScope() { stop_detail::flag = before_; }
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  const StopFlag* before_;
};

}  // namespace credo
