// Brownian motion that starts at 0: min(x, z) for x, z >= 0.
#include <fmt/format.h>

#include "models/kernels/row_functions.hpp"

namespace credo::models {
namespace {
struct Brownian {
  static std::vector<KernelParameter> parameters(const KernelOptions&) { return {}; }
  template <class X, class T>
  static auto value(const KernelOptions&, const X* x, const X* z, const T*) {
    return value_of(x[0]) <= value_of(z[0]) ? x[0] : z[0];
  }
  static Index size(const KernelOptions&) { return 1; }
  template <class T>
  static void start(const KernelOptions&, const T*, double x, StateMatrices<T>& made) {
    made.size = 1, made.matrix = {T(x)};
  }
  template <class T>
  static void move(const KernelOptions&, const T*, double step, StateMatrices<T>& made) {
    made.size = 1, made.matrix = {1.0}, made.noise = {T(step)};
  }
  static void observe(const KernelOptions&, double, double* h) { h[0] = 1.0; }
};
constexpr StateForm kBrownianStates = state_form<Brownian>();
std::string refuse_negative(const KernelOptions&, const double* x) {
  return x[0] < 0.0
             ? fmt::format(
                   "Brownian motion begins at 0, and an input is {:.6g}: subtract the least one",
                   x[0])
             : "";
}
}  // namespace

extern const KernelRow brownian_kernel;
const KernelRow brownian_kernel = with_functions<Brownian, 0>(
    {.name = "brownian",
     .summary = "min(x, z), Brownian motion from 0; inputs are at least 0",
     .reference = "rasmussen2006",
     .words = "a random walk",
     .most_columns = 1,
     .smoothness = smoothness_is<0>,
     .states = &kBrownianStates,
     .refusal = refuse_negative});

}  // namespace credo::models
