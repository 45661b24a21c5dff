// A limit of time ends work of which something should be kept, however short it is: whoever keeps
// it is told that the time is over, and says when the end may come (results/files/run_store.hpp).
#pragma once
#include <atomic>

namespace credo {

struct GentleStop {                     // handlers of signals set it, so all is atomic
  std::atomic<bool> is_awaited{false};  // there is somebody who keeps progress
  std::atomic<bool> is_asked{false};    // the time is over: keep what there is
  std::atomic<bool> has_kept{false};    // something of everybody's work since the beginning
};

}  // namespace credo
