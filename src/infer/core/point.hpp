// A chain's present point: the state of most kernels between transitions. Plain data.
#pragma once
#include "base/types.hpp"

namespace credo::infer {

struct PointState {
  std::vector<double> position, gradient;  // the gradient is empty where the kernel needs none
  double log_density = -kInfinity;

  static void saved(auto& self, auto&& field) {
    field(self.position);
    field(self.gradient);
    field(self.log_density);
  }
};

// Room for a point of D values.
inline PointState make_point(Index dimension, bool with_gradient) {
  const auto n = static_cast<std::size_t>(dimension);
  return {.position = std::vector<double>(n),
          .gradient = std::vector<double>(with_gradient ? n : 0)};
}

}  // namespace credo::infer
