// Options of the methods whose particles are resampled.
#pragma once
#include "infer/smc/particle_filter.hpp"

namespace credo::filters {

struct ResamplingOptions {
  double resample_below = 0.5;
  std::string resampling = "systematic";

  void set(infer::FilterOptions& run) const {
    run.resample_below = resample_below;
    run.resampling = resampling;
  }
  static void describe(auto& self, auto&& field) {
    field(self.resample_below, infer::kResampleBelow);
    field(self.resampling, infer::kResampling);
  }
};

}  // namespace credo::filters
