// Squared exponential: exp(-|x - z|² / (2 l²)) [rasmussen2006, eq. 4.9].
#include "base/rng.hpp"
#include "models/kernels/row_functions.hpp"

namespace credo::models {
namespace {
struct SquaredExponential {
  static std::vector<KernelParameter> parameters(const KernelOptions&) {
    return {{"length", KernelUnit::length, 0.2}};
  }
  template <class X, class T>
  static auto value(const KernelOptions& o, const X* x, const X* z, const T* t) {
    using std::exp;
    return exp(-0.5 * squared_distance(o.dimension, x, z) / (t[0] * t[0]));
  }
};
double se_density(const KernelOptions&, const double* t, double w) {
  return std::sqrt(2.0 * std::numbers::pi) * t[0] * std::exp(-0.5 * w * w * t[0] * t[0]);
}
void draw_se_frequency(const KernelOptions& o, const double* t, Rng& rng, double* w) {
  for (Index d = 0; d < o.dimension; ++d) w[d] = rng.normal() / t[0];
}
}  // namespace

extern const KernelRow se_kernel;
const KernelRow se_kernel = with_functions<SquaredExponential, 1>(
    {.name = "se",
     .summary = "squared exponential, exp(-r^2 / (2 length^2))",
     .reference = "rasmussen2006",
     .words = "a very smooth curve",
     .is_stationary = true,
     .smoothness = smoothness_is<kSmooth>,
     .spectral_density = se_density,
     .draw_frequency = draw_se_frequency});

}  // namespace credo::models
