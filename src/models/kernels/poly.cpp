// Polynomial: (x'z + c)^M, all terms up to degree M [rasmussen2006, eq. 4.32].
#include "models/kernels/row_functions.hpp"

namespace credo::models {
namespace {
struct Polynomial {
  static std::vector<KernelParameter> parameters(const KernelOptions&) {
    return {{"offset", KernelUnit::square, 1.0}};
  }
  template <class X, class T>
  static auto value(const KernelOptions& o, const X* x, const X* z, const T* t) {
    return whole_power(dot_product(o.dimension, x, z) + t[0], o.order);
  }
};
}  // namespace

extern const KernelRow poly_kernel;
const KernelRow poly_kernel = with_functions<Polynomial, 1>(
    {.name = "poly",
     .summary = "(x'z + offset)^degree: poly(x, 2), or poly(x, 2, 0) with the offset",
     .reference = "rasmussen2006",
     .words = "a polynomial",
     .arguments = {{"degree", "degree of the polynomial", true, 1.0, 10.0, 2.0},
                   {"offset", "fixes the offset"}},
     .smoothness = smoothness_is<kSmooth>});

}  // namespace credo::models
