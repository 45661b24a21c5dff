// Options of a run for the warm-up of Hamiltonian kernels.
#pragma once
#include "infer/adapt/dual_averaging.hpp"
#include "infer/adapt/schedule.hpp"

namespace credo::infer {

struct AdaptOptions {
  bool engaged = true;  // false: step size and metric stay as given
  DualAveragingOptions step_size;
  ScheduleOptions schedule;
  Index lbfgs_memory = 30;  // pairs of the metric lbfgs

  static void describe(auto& self, auto&& field) {
    field(self.engaged, FieldSpec{.name = "adapt_engaged",
                                  .help = "adapt step size and metric during warm-up",
                                  .stan_name = "engaged"});
    field(self.step_size, FieldSpec{.name = "step_size", .help = "step size adaptation"});
    field(self.schedule, FieldSpec{.name = "schedule", .help = "windows of warm-up"});
    field(self.lbfgs_memory, FieldSpec{.name = "lbfgs_memory",
                                       .help = "moves of the last window that the metric lbfgs is "
                                               "made of",
                                       .range = at_least(1)});
  }
};

}  // namespace credo::infer
