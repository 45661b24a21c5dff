// When warm-up adapts what: a first stretch for the step size alone, windows that double, each
// ended by a new metric from its draws, and a last stretch for the step size
// [stan-reference-manual].
#pragma once
#include "infer/core/fields.hpp"

namespace credo::infer {

struct ScheduleOptions {
  Index init_buffer = 75;
  Index term_buffer = 50;
  Index base_window = 25;

  static void describe(auto& self, auto&& field) {
    field(self.init_buffer, FieldSpec{.name = "init_buffer",
                                      .help = "transitions before the first metric window",
                                      .range = at_least(0),
                                      .stan_name = "init_buffer"});
    field(self.term_buffer, FieldSpec{.name = "term_buffer",
                                      .help = "transitions after the last metric window",
                                      .range = at_least(0),
                                      .stan_name = "term_buffer"});
    field(self.base_window, FieldSpec{.name = "base_window",
                                      .help = "length of the first metric window",
                                      .range = at_least(1),
                                      .stan_name = "window"});
  }
};

// Warm-up transitions are numbered from 0. The metric learns from [metric_begin, last of
// window_ends); each window ends before the transition of that number. Without windows no metric is
// adapted.
struct WarmupSchedule {
  Index metric_begin = 0;
  std::vector<Index> window_ends;
};

// Warm-ups too short for the three stretches give them 15 %, 75 % and 10 %; below 20 transitions
// only the step size is adapted.
WarmupSchedule warmup_schedule(Index num_warmup, const ScheduleOptions& options);

}  // namespace credo::infer
