// Arc-cosine kernels: a wide layer of units max(0, u)^n, n = 0, 1, of u = bias + weight x [cho2009].
#include "models/kernels/networks.hpp"

namespace credo::models {
namespace {
struct ArcCosine {
  static std::vector<KernelParameter> parameters(const KernelOptions&) {
    return network_parameters();
  }
  template <class X, class T>
  static auto value(const KernelOptions& o, const X* x, const X* z, const T* t) {
    using std::sqrt;
    const auto w = t[0] * t[0], b = t[1] * t[1];
    const auto xz = dot_product(o.dimension, x, z) * w + b;
    const auto root =
        sqrt((dot_product(o.dimension, x, x) * w + b) * (dot_product(o.dimension, z, z) * w + b));
    using S = std::remove_cvref_t<decltype(root)>;
    const std::array<S, 2> moment = relu_moments(S(xz / root));
    return o.order == 0 ? moment[1] : S(root * moment[0]);
  }
};
int arccos_smoothness(const KernelOptions& o) { return static_cast<int>(o.order); }
}  // namespace

extern const KernelRow arccos_kernel;
const KernelRow arccos_kernel = with_functions<ArcCosine, 2>(
    {.name = "arccos",
     .summary = "arc-cosine kernel of a wide layer of steps, arccos(x, 0), or of rectified units, "
                "arccos(x, 1)",
     .reference = "cho2009",
     .words = "a sum of many kinks",
     .arguments = {{"order", "0: steps; 1: rectified units", true, 0.0, 1.0, 1.0}},
     .smoothness = arccos_smoothness});

}  // namespace credo::models
