// Cosine: cos(2 pi r / p), a wave of random amplitude and phase.
#include "base/rng.hpp"
#include "models/kernels/row_functions.hpp"

namespace credo::models {
namespace {
struct Cosine {
  static std::vector<KernelParameter> parameters(const KernelOptions&) {
    return {{"period", KernelUnit::period, 0.25}};
  }
  template <class X, class T>
  static auto value(const KernelOptions& o, const X* x, const X* z, const T* t) {
    using std::cos;
    return cos(2.0 * std::numbers::pi * distance(o.dimension, x, z) / t[0]);
  }
  static Index size(const KernelOptions&) { return 2; }
  template <class T>
  static void start(const KernelOptions&, const T*, double, StateMatrices<T>& made) {
    made.size = 2;
    made.matrix = {1.0, 0.0, 0.0, 1.0};
  }
  template <class T>
  static void move(const KernelOptions&, const T* t, double step, StateMatrices<T>& made) {
    using std::cos, std::sin;
    const T angle = 2.0 * std::numbers::pi * step / t[0];
    made.size = 2;
    made.matrix = {cos(angle), -sin(angle), sin(angle), cos(angle)};
    made.noise.assign(4, T(0.0));
  }
  static void observe(const KernelOptions&, double, double* h) { h[0] = 1.0, h[1] = 0.0; }
};
constexpr StateForm kCosineStates = state_form<Cosine>();
void draw_cosine_frequency(const KernelOptions&, const double* t, Rng& rng, double* w) {
  w[0] = (rng.uniform() < 0.5 ? -1.0 : 1.0) * 2.0 * std::numbers::pi / t[0];
}
}  // namespace

extern const KernelRow cosine_kernel;
const KernelRow cosine_kernel = with_functions<Cosine, 1>(
    {.name = "cosine",
     .summary = "cos(2 pi r / period), one wave: cosine(x, 12) fixes the period",
     .reference = "rasmussen2006",
     .words = "one wave",
     .most_columns = 1,
     .arguments = {{"period", "fixes the period"}},
     .is_stationary = true,
     .smoothness = smoothness_is<kSmooth>,
     .draw_frequency = draw_cosine_frequency,
     .states = &kCosineStates});

}  // namespace credo::models
