// Ending work early. Whoever starts work names a flag; the work looks at it and gives up once it is
// set.
//
//   const StopScope scope(&flag);  // this thread's work looks at `flag` from now on
//   ... stop_if_asked();           // throws Stopped once it is set
//
// What may last looks at it every few milliseconds: the interpreter at each step, a graph at each
// node, a program between instructions and blocks, dense linear algebra between blocks of columns,
// files between pieces. A look costs a load. A flag that is set stays so: nothing goes on with what
// was broken off.
#pragma once
#include <atomic>

#include "base/std.hpp"

namespace credo {

using StopFlag = std::atomic<bool>;  // set by whoever wants the end, a signal handler for example

// Not an Error: nothing is wrong, and nobody takes it as a reason to try another way.
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
