#include "infer/adapt/schedule.hpp"

namespace credo::infer {
namespace {
constexpr Index kShortestWithMetric = 20;

// Buffers are shares of the whole, rounded down; the window takes the rest.
ScheduleOptions scaled_down(Index num_warmup) {
  const auto share = [&](double part) {
    return static_cast<Index>(part * static_cast<double>(num_warmup));
  };
  const Index init = share(0.15), term = share(0.1);
  return {.init_buffer = init, .term_buffer = term, .base_window = num_warmup - init - term};
}
}  // namespace

WarmupSchedule warmup_schedule(Index num_warmup, const ScheduleOptions& options) {
  if (num_warmup < kShortestWithMetric) return {};
  ScheduleOptions use = options;
  if (use.init_buffer + use.base_window + use.term_buffer > num_warmup)
    use = scaled_down(num_warmup);

  WarmupSchedule schedule{.metric_begin = use.init_buffer, .window_ends = {}};
  const Index last = num_warmup - use.term_buffer;
  Index length = use.base_window, end = use.init_buffer + length;
  if (end + 1 == last) end = last;  // a window of one draw would have no variance
  schedule.window_ends.push_back(end);
  while (end < last) {
    length *= 2;
    end += length;
    if (end + 2 * length > last) end = last;  // the next would not fit: this one takes its place
    schedule.window_ends.push_back(end);
  }
  return schedule;
}

}  // namespace credo::infer
