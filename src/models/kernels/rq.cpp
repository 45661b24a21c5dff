// Rational quadratic: (1 + r² / (2 alpha l²))^(-alpha), a mixture of squared exponentials over length scales [rasmussen2006, eq. 4.19].
#include "base/rng.hpp"
#include "models/kernels/row_functions.hpp"

namespace credo::models {
namespace {
struct RationalQuadratic {
  static std::vector<KernelParameter> parameters(const KernelOptions&) {
    return {{"length", KernelUnit::length, 0.2}, {"alpha", KernelUnit::none, 1.0}};
  }
  template <class X, class T>
  static auto value(const KernelOptions& o, const X* x, const X* z, const T* t) {
    using std::exp, std::log1p;
    return exp(-t[1] * log1p(squared_distance(o.dimension, x, z) / (2.0 * t[1] * t[0] * t[0])));
  }
};
}  // namespace

extern const KernelRow rq_kernel;
const KernelRow rq_kernel = with_functions<RationalQuadratic, 2>(
    {.name = "rq",
     .summary = "rational quadratic, (1 + r^2 / (2 alpha length^2))^-alpha: several length scales",
     .reference = "rasmussen2006",
     .words = "a smooth curve that varies on several scales",
     .is_stationary = true,
     .smoothness = smoothness_is<kSmooth>});

}  // namespace credo::models
