// Squared exponential with a length scale for each input: exp(-1/2 sum_d (x_d - z_d)² / l_d²) [rasmussen2006, eq. 5.1].
#include "base/rng.hpp"
#include "models/kernels/row_functions.hpp"

namespace credo::models {
namespace {
struct ArdExponential {
  static Index num_parameters(const KernelOptions& o) { return o.dimension; }
  static std::vector<KernelParameter> parameters(const KernelOptions& o) {
    std::vector<KernelParameter> all;
    for (Index d = 0; d < o.dimension; ++d)
      all.push_back({"length." + std::to_string(d + 1), KernelUnit::length, 0.5});
    return all;
  }
  template <class X, class T>
  static auto value(const KernelOptions& o, const X* x, const X* z, const T* t) {
    using std::exp;
    auto sum = (x[0] - z[0]) * (x[0] - z[0]) / (t[0] * t[0]);
    for (Index d = 1; d < o.dimension; ++d)
      sum = sum + (x[d] - z[d]) * (x[d] - z[d]) / (t[d] * t[d]);
    return exp(-0.5 * sum);
  }
};
double ard_density(const KernelOptions&, const double* t, double w) {
  return std::sqrt(2.0 * std::numbers::pi) * t[0] * std::exp(-0.5 * w * w * t[0] * t[0]);
}
void draw_ard_frequency(const KernelOptions& o, const double* t, Rng& rng, double* w) {
  for (Index d = 0; d < o.dimension; ++d) w[d] = rng.normal() / t[d];
}
}  // namespace

extern const KernelRow se_ard_kernel;
const KernelRow se_ard_kernel =
    with_functions<ArdExponential, 1, static_cast<int>(kMostKernelParameters)>(
        {.name = "se_ard",
         .summary = "squared exponential with a length scale for each column",
         .reference = "rasmussen2006",
         .words = "a very smooth function of several columns",
         .most_columns = kMostKernelParameters,
         .is_stationary = true,
         .smoothness = smoothness_is<kSmooth>,
         .spectral_density = ard_density,
         .draw_frequency = draw_ard_frequency});

}  // namespace credo::models
