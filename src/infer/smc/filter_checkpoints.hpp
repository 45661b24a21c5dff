// Checkpoints of a filter's state while it runs: a run that was killed resumes from there with the same bits.
#pragma once
#include "base/archive.hpp"
#include "base/stop.hpp"

namespace credo::infer {

// Asked by several repeats at once, each from a thread of its own.
class FilterCheckpoints {
 public:
  virtual ~FilterCheckpoints() = default;
  virtual std::string kept(Index repeat) = 0;  // the last state of a repeat; empty: none
  virtual bool is_due(Index repeat) = 0;
  virtual void keep(Index repeat, const std::string& state) = 0;
};

// Runs the times of a filter from its last checkpoint. A Filter has step(time), next_time, and the list `saved`. On a
// stop request it keeps its state and throws Stopped.
template <class Filter>
void run_times(Filter& filter, Index num_times, Index repeat, FilterCheckpoints* checkpoints) {
  if (checkpoints != nullptr)
    if (const std::string state = checkpoints->kept(repeat); !state.empty())
      ArchiveReader(state, "the state of a filter")(filter).finish();
  while (filter.next_time < num_times) {
    const bool stops = stop_asked();
    if (checkpoints != nullptr && filter.next_time > 0 && (stops || checkpoints->is_due(repeat)))
      checkpoints->keep(repeat, archived(filter));
    stop_if_asked();
    filter.step(filter.next_time);
    ++filter.next_time;
  }
}

}  // namespace credo::infer
