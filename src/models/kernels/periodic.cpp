// Periodic: exp(-2 sin²(pi r / p) / l²) [rasmussen2006, eq. 4.31]; l has no unit. Its states are the first harmonics of its Fourier
// series [solin2014], whose weights are exp(-a) I_j(a), a = 1 / l².
#include "models/kernels/row_functions.hpp"
#include "numerics/special_library.hpp"

namespace credo::models {
namespace {
constexpr Index kHarmonics = 7;

double scaled_bessel(Index j, double a) {
  if (a > 600.0) {  // by its asymptotic series, where I_j overflows
    const double m = 4.0 * static_cast<double>(j * j), z = 8.0 * a;
    return (1.0 - (m - 1.0) / z + (m - 1.0) * (m - 9.0) / (2.0 * z * z)) /
           std::sqrt(2.0 * std::numbers::pi * a);
  }
  return std::exp(-a) * numerics::bessel_i(static_cast<int>(j), a);
}
double harmonic(Index j, double a) { return scaled_bessel(j, a); }
template <int N, class V>
Dual<N, V> harmonic(Index j, const Dual<N, V>& a) {
  const double below = scaled_bessel(j == 0 ? 1 : j - 1, a.v), at = scaled_bessel(j, a.v);
  return chained(a, at, 0.5 * (below + scaled_bessel(j + 1, a.v)) - at);
}

struct Periodic {
  static std::vector<KernelParameter> parameters(const KernelOptions&) {
    return {{"length", KernelUnit::none, 1.0}, {"period", KernelUnit::period, 0.25}};
  }
  template <class X, class T>
  static auto value(const KernelOptions& o, const X* x, const X* z, const T* t) {
    using std::exp, std::sin;
    const auto s = sin(std::numbers::pi * distance(o.dimension, x, z) / t[1]);
    return exp(-2.0 * s * s / (t[0] * t[0]));
  }
  static Index size(const KernelOptions&) { return 2 * kHarmonics + 1; }
  template <class T>
  static void start(const KernelOptions& o, const T* t, double, StateMatrices<T>& made) {
    made.size = size(o);
    made.matrix.assign(static_cast<std::size_t>(made.size * made.size), T(0.0));
    const T a = 1.0 / (t[0] * t[0]);
    for (Index k = 0; k < made.size; ++k) {
      const Index j = (k + 1) / 2;
      made.matrix[static_cast<std::size_t>(k * made.size + k)] =
          (j == 0 ? 1.0 : 2.0) * harmonic(j, a);
    }
  }
  template <class T>
  static void move(const KernelOptions& o, const T* t, double step, StateMatrices<T>& made) {
    using std::cos, std::sin;
    const Index n = made.size = size(o);
    made.matrix.assign(static_cast<std::size_t>(n * n), T(0.0));
    made.noise.assign(static_cast<std::size_t>(n * n), T(0.0));
    const auto at = [&](Index i, Index j) -> T& {
      return made.matrix[static_cast<std::size_t>(i * n + j)];
    };
    at(0, 0) = 1.0;
    for (Index j = 1; j <= kHarmonics; ++j) {
      const T angle = 2.0 * std::numbers::pi * static_cast<double>(j) * step / t[1];
      const Index k = 2 * j - 1;
      at(k, k) = at(k + 1, k + 1) = cos(angle);
      at(k, k + 1) = -sin(angle);
      at(k + 1, k) = sin(angle);
    }
  }
  static void observe(const KernelOptions& o, double, double* h) {
    for (Index k = 0; k < size(o); ++k) h[k] = k % 2 == 1 || k == 0 ? 1.0 : 0.0;
  }
};
constexpr StateForm periodic_form() {
  StateForm form = state_form<Periodic>();
  form.is_approximate = true;
  return form;
}
constexpr StateForm kPeriodicStates = periodic_form();
std::string refuse_several(const KernelOptions& o, const double*) {
  return o.dimension > 1 ? "a period is that of one column: multiply periodic kernels of several"
                         : "";
}
}  // namespace

extern const KernelRow periodic_kernel;
const KernelRow periodic_kernel = with_functions<Periodic, 2>(
    {.name = "periodic",
     .summary = "exp(-2 sin^2(pi r / period) / length^2): periodic(x, 12) fixes the period",
     .reference = "rasmussen2006",
     .words = "a pattern that repeats",
     .most_columns = 1,
     .arguments = {{"period", "fixes the period"}},
     .is_stationary = true,
     .smoothness = smoothness_is<kSmooth>,
     .states = &kPeriodicStates,
     .refusal = refuse_several});

}  // namespace credo::models
