// Linear: x'z, lines through the origin [rasmussen2006, section 4.2.2].
#include "models/kernels/row_functions.hpp"

namespace credo::models {
namespace {
struct Linear {
  static std::vector<KernelParameter> parameters(const KernelOptions&) { return {}; }
  template <class X, class T>
  static auto value(const KernelOptions& o, const X* x, const X* z, const T*) {
    return dot_product(o.dimension, x, z);
  }
  static Index size(const KernelOptions&) { return 1; }
  template <class T>
  static void start(const KernelOptions&, const T*, double, StateMatrices<T>& made) {
    made.size = 1, made.matrix = {1.0};
  }
  template <class T>
  static void move(const KernelOptions&, const T*, double, StateMatrices<T>& made) {
    made.size = 1, made.matrix = {1.0}, made.noise = {0.0};
  }
  static void observe(const KernelOptions&, double x, double* h) { h[0] = x; }
};
constexpr StateForm kLinearStates = state_form<Linear>();
}  // namespace

extern const KernelRow linear_kernel;
const KernelRow linear_kernel = with_functions<Linear, 0>(
    {.name = "linear",
     .summary = "x'z, lines through the origin; linear(f(x)) * K is f(x) K(x, z) f(z)",
     .reference = "rasmussen2006",
     .words = "a linear trend",
     .smoothness = smoothness_is<kSmooth>,
     .states = &kLinearStates});

}  // namespace credo::models
