// Spectral mixture: sum_q w_q cos(2 pi m_q r) exp(-2 pi² v_q² r²) / sum_q w_q, a mixture of normals as a spectrum [wilson2013].
// The first weight is 1.
#include "base/rng.hpp"
#include "models/kernels/row_functions.hpp"

namespace credo::models {
namespace {
struct SpectralMixture {
  static Index num_parameters(const KernelOptions& o) { return 3 * o.order - 1; }
  static std::vector<KernelParameter> parameters(const KernelOptions& o) {
    std::vector<KernelParameter> all;
    for (Index q = 1; q <= o.order; ++q) {
      const std::string number = "." + std::to_string(q);
      all.push_back({"frequency" + number, KernelUnit::frequency, 2.0 * static_cast<double>(q)});
      all.push_back({"width" + number, KernelUnit::frequency, 0.5});
    }
    for (Index q = 2; q <= o.order; ++q) all.push_back({"weight." + std::to_string(q)});
    return all;
  }
  template <class T>
  static T weight(const KernelOptions& o, const T* t, Index q) {
    return q == 0 ? T(1.0) : t[2 * o.order + q - 1];
  }
  template <class X, class T>
  static auto value(const KernelOptions& o, const X* x, const X* z, const T* t) {
    using std::cos, std::exp;
    constexpr double kTwoPi = 2.0 * std::numbers::pi;
    const X r = distance(o.dimension, x, z);
    auto sum = 0.0 * (r * t[0]);
    T total = 0.0;
    for (Index q = 0; q < o.order; ++q) {
      const auto u = kTwoPi * r * t[2 * q + 1];
      sum = sum + weight(o, t, q) * cos(kTwoPi * r * t[2 * q]) * exp(-0.5 * u * u);
      total = total + weight(o, t, q);
    }
    return sum / total;
  }
};
double mixture_density(const KernelOptions& o, const double* t, double w) {
  double sum = 0.0, total = 0.0;
  for (Index q = 0; q < o.order; ++q) {
    const double weight = SpectralMixture::weight(o, t, q);
    const double at = 2.0 * std::numbers::pi * t[2 * q], sd = 2.0 * std::numbers::pi * t[2 * q + 1];
    const auto bump = [&](double c) {
      return std::exp(-0.5 * (w - c) * (w - c) / (sd * sd)) / sd *
             std::sqrt(2.0 * std::numbers::pi);
    };
    sum += weight * 0.5 * (bump(at) + bump(-at));
    total += weight;
  }
  return sum / total;
}
std::vector<std::array<double, 2>> mixture_peaks(const KernelOptions& o, const double* t) {
  std::vector<std::array<double, 2>> peaks;
  for (Index q = 0; q < o.order; ++q) peaks.push_back({t[2 * q], t[2 * q + 1]});
  return peaks;
}
void draw_mixture_frequency(const KernelOptions& o, const double* t, Rng& rng, double* w) {
  double total = 0.0;
  for (Index q = 0; q < o.order; ++q) total += SpectralMixture::weight(o, t, q);
  double left = rng.uniform() * total;
  Index q = 0;
  while (q + 1 < o.order && left > SpectralMixture::weight(o, t, q))
    left -= SpectralMixture::weight(o, t, q++);
  w[0] = 2.0 * std::numbers::pi * (t[2 * q] + t[2 * q + 1] * rng.normal());
}
}  // namespace

extern const KernelRow sm_kernel;
const KernelRow sm_kernel = with_functions<SpectralMixture, 2, 11>(
    {.name = "sm",
     .summary = "spectral mixture of Q waves with widths: sm(x, 3)",
     .reference = "wilson2013",
     .words = "waves that slowly change",
     .most_columns = 1,
     .arguments = {{"Q", "components", true, 1.0, 4.0, 2.0}},
     .is_stationary = true,
     .smoothness = smoothness_is<kSmooth>,
     .spectral_density = mixture_density,
     .spectral_peaks = mixture_peaks,
     .draw_frequency = draw_mixture_frequency});

}  // namespace credo::models
