// A wide layer of units erf(bias + weight x): 2 / pi asin(2 x~'S z~ / sqrt((1 + 2 x~'S x~)(1 + 2 z~'S z~))) [williams1998].
#include "models/kernels/networks.hpp"

namespace credo::models {
namespace {
struct Neural {
  static std::vector<KernelParameter> parameters(const KernelOptions&) {
    return network_parameters();
  }
  template <class X, class T>
  static auto value(const KernelOptions& o, const X* x, const X* z, const T* t) {
    using std::asin, std::sqrt;
    const auto w = t[0] * t[0], b = t[1] * t[1];
    const auto xz = dot_product(o.dimension, x, z) * w + b;
    const auto xx = dot_product(o.dimension, x, x) * w + b;
    const auto zz = dot_product(o.dimension, z, z) * w + b;
    return 2.0 / std::numbers::pi * asin(2.0 * xz / sqrt((1.0 + 2.0 * xx) * (1.0 + 2.0 * zz)));
  }
};
}  // namespace

extern const KernelRow neural_kernel;
const KernelRow neural_kernel = with_functions<Neural, 2>(
    {.name = "neural",
     .summary = "arc-sine kernel of a wide layer of units erf(bias + weight x)",
     .reference = "williams1998",
     .words = "a sum of many steps",
     .smoothness = smoothness_is<kSmooth>});

}  // namespace credo::models
