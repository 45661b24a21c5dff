// The Gaussian process of a wide network with rectified units and `depth` hidden layers [lee2018]:
// K = b² + w² E[relu(u) relu(v)], (u, v) normal with the covariances of the layer before.
#include "models/kernels/networks.hpp"

namespace credo::models {
namespace {
struct NetworkProcess {
  static std::vector<KernelParameter> parameters(const KernelOptions&) {
    return {{"weight", KernelUnit::none, 1.4}, {"bias", KernelUnit::none, 0.5}};
  }
  template <class X, class T>
  static auto value(const KernelOptions& o, const X* x, const X* z, const T* t) {
    auto k = input_layer(o, x, z, t[0], t[1]);
    for (Index l = 0; l < o.order; ++l) relu_layer(k, t[0], t[1]);
    return k.xz;
  }
};
}  // namespace

extern const KernelRow nngp_kernel;
const KernelRow nngp_kernel = with_functions<NetworkProcess, 2>(
    {.name = "nngp",
     .summary = "process of a wide network of rectified units: nngp(x, 3) has three hidden layers",
     .reference = "lee2018",
     .words = "a wide network",
     .arguments = {{"depth", "hidden layers", true, 1.0, 100.0, 1.0}},
     .smoothness = smoothness_is<1>});

}  // namespace credo::models
