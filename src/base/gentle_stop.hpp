// At a time limit some of the work should be kept, however short the limit is: the keeper of progress
// learns that the time is over, and reports when the work may end (results/files/run_store.hpp).
#pragma once
#include <atomic>

namespace credo {

struct GentleStop {                     // handlers of signals set it, so all is atomic
  std::atomic<bool> is_awaited{false};  // progress is being kept
  std::atomic<bool> is_asked{false};    // the time is over: keep the current state
  std::atomic<bool> has_kept{false};    // something of everybody's work since the beginning
};

}  // namespace credo
