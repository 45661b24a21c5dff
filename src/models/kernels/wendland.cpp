// Wendland's functions of compact support, positive definite in D dimensions, 2k times differentiable [rasmussen2006, eq. 4.21].
#include "models/kernels/row_functions.hpp"

namespace credo::models {
namespace {
struct Wendland {
  static std::vector<KernelParameter> parameters(const KernelOptions&) {
    return {{"support", KernelUnit::length, 0.5}};
  }
  template <class X, class T>
  static auto value(const KernelOptions& o, const X* x, const X* z, const T* t) {
    auto r = distance(o.dimension, x, z) / t[0];
    if (value_of(r) >= 1.0) return 0.0 * r;
    const auto j = static_cast<double>(o.dimension / 2 + o.order + 1);
    const auto outside = whole_power(1.0 - r, o.dimension / 2 + o.order + 1 + o.order);
    if (o.order == 0) return outside;
    if (o.order == 1) return outside * ((j + 1.0) * r + 1.0);
    if (o.order == 2)
      return outside * ((j * j + 4.0 * j + 3.0) * r * r + (3.0 * j + 6.0) * r + 3.0) * (1.0 / 3.0);
    return outside *
           ((j * j * j + 9.0 * j * j + 23.0 * j + 15.0) * r * r * r +
            (6.0 * j * j + 36.0 * j + 45.0) * r * r + (15.0 * j + 45.0) * r + 15.0) *
           (1.0 / 15.0);
  }
};
int wendland_smoothness(const KernelOptions& o) { return static_cast<int>(o.order); }
}  // namespace

extern const KernelRow wendland_kernel;
const KernelRow wendland_kernel = with_functions<Wendland, 1>(
    {.name = "wendland",
     .summary = "compact support: 0 beyond the distance `support`, 2k derivatives: wendland(x, 1)",
     .reference = "rasmussen2006",
     .words = "a curve without memory beyond a distance",
     .arguments = {{"k", "smoothness: k derivatives of the process", true, 0.0, 3.0, 1.0}},
     .is_stationary = true,
     .smoothness = wendland_smoothness});

}  // namespace credo::models
