// White noise as a part of the function: 1 where two inputs are equal.
#include "models/kernels/row_functions.hpp"

namespace credo::models {
namespace {
struct White {
  static std::vector<KernelParameter> parameters(const KernelOptions&) { return {}; }
  template <class X, class T>
  static auto value(const KernelOptions& o, const X* x, const X* z, const T*) {
    for (Index d = 0; d < o.dimension; ++d)
      if (value_of(x[d]) != value_of(z[d])) return 0.0;
    return 1.0;
  }
};
}  // namespace

extern const KernelRow white_kernel;
const KernelRow white_kernel = with_functions<White, 0>(
    {.name = "white",
     .summary = "1 where inputs are equal: noise that rows with the same input share",
     .reference = "rasmussen2006",
     .words = "an effect of each input by itself",
     .is_stationary = true,
     .smoothness = smoothness_is<-1>});

}  // namespace credo::models
