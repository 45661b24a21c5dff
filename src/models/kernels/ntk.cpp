// Neural tangent kernel of the same networks [jacot2018]: T = K of the layer + w² T of the layer before E[relu'(u) relu'(v)].
#include "models/kernels/networks.hpp"

namespace credo::models {
namespace {
struct TangentKernel {
  static std::vector<KernelParameter> parameters(const KernelOptions&) {
    return {{"weight", KernelUnit::none, 1.4}, {"bias", KernelUnit::none, 0.5}};
  }
  template <class X, class T>
  static auto value(const KernelOptions& o, const X* x, const X* z, const T* t) {
    auto k = input_layer(o, x, z, t[0], t[1]);
    auto tangent = k.xz;
    for (Index l = 0; l < o.order; ++l) {
      const auto slope = relu_layer(k, t[0], t[1]);
      tangent = k.xz + tangent * slope;
    }
    return tangent;
  }
};
}  // namespace

extern const KernelRow ntk_kernel;
const KernelRow ntk_kernel = with_functions<TangentKernel, 2>(
    {.name = "ntk",
     .summary = "neural tangent kernel of a wide network of rectified units: ntk(x, 3)",
     .reference = "jacot2018",
     .words = "a wide network that is trained by gradients",
     .arguments = {{"depth", "hidden layers", true, 1.0, 100.0, 1.0}},
     .smoothness = smoothness_is<0>});

}  // namespace credo::models
