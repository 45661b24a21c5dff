// Two squared exponential layers, of which the first is wide: exp(exp(-r² / (2 l²)) - 1) [murphy2023, eq. 18.167]. A wide first layer
// of D outputs has distances E |f(x) - f(z)|² / D = 2 (1 - k).
#include "models/kernels/row_functions.hpp"

namespace credo::models {
namespace {
struct DeepLimit {
  static std::vector<KernelParameter> parameters(const KernelOptions&) {
    return {{"length", KernelUnit::length, 0.3}};
  }
  template <class X, class T>
  static auto value(const KernelOptions& o, const X* x, const X* z, const T* t) {
    using std::exp;
    return exp(exp(-0.5 * squared_distance(o.dimension, x, z) / (t[0] * t[0])) - 1.0);
  }
};
}  // namespace

extern const KernelRow deep_limit_kernel;
const KernelRow deep_limit_kernel = with_functions<DeepLimit, 1>(
    {.name = "deep_limit",
     .summary = "exp(exp(-r^2 / (2 length^2)) - 1): a deep process whose inner layer is wide",
     .reference = "murphy2023",
     .words = "a smooth curve around a level",
     .is_stationary = true,
     .smoothness = smoothness_is<kSmooth>});

}  // namespace credo::models
