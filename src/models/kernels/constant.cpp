// Constant: 1, a level that is the same everywhere.
#include "models/kernels/row_functions.hpp"

namespace credo::models {
namespace {
struct Constant {
  static std::vector<KernelParameter> parameters(const KernelOptions&) { return {}; }
  template <class X, class T>
  static auto value(const KernelOptions&, const X*, const X*, const T*) {
    return X(1.0);
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
  static void observe(const KernelOptions&, double, double* h) { h[0] = 1.0; }
};
constexpr StateForm kConstantStates = state_form<Constant>();
}  // namespace

extern const KernelRow constant_kernel;
const KernelRow constant_kernel = with_functions<Constant, 0>({.name = "constant",
                                                               .summary = "1: a level",
                                                               .reference = "rasmussen2006",
                                                               .words = "a level",
                                                               .least_columns = 0,
                                                               .most_columns = 0,
                                                               .is_stationary = true,
                                                               .smoothness = smoothness_is<kSmooth>,
                                                               .states = &kConstantStates});

}  // namespace credo::models
