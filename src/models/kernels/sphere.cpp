// Heat kernel of the sphere, by Legendre polynomials of the angle between two places:
// sum_l (2l + 1) exp(-l (l + 1) t) P_l(cos angle), divided by its value at angle 0.
#include <fmt/format.h>

#include "models/kernels/row_functions.hpp"

namespace credo::models {
namespace {
struct Sphere {
  static std::vector<KernelParameter> parameters(const KernelOptions&) {
    return {{"time", KernelUnit::none, 0.1}};
  }
  template <class X, class T>
  static auto value(const KernelOptions&, const X* x, const X* z, const T* t) {
    using std::cos, std::exp, std::sin;
    constexpr double kDegree = std::numbers::pi / 180.0;
    const X cosine = sin(x[1] * kDegree) * sin(z[1] * kDegree) +
                     cos(x[1] * kDegree) * cos(z[1] * kDegree) * cos((x[0] - z[0]) * kDegree);
    auto sum = 0.0 * (cosine * t[0]);
    T norm = 0.0;
    X before = 0.0, legendre = 1.0;
    for (Index l = 0; l < 2000; ++l) {
      const auto n = static_cast<double>(l);
      const T weight = (2.0 * n + 1.0) * exp(-n * (n + 1.0) * t[0]);
      sum = sum + weight * legendre;
      norm = norm + weight;
      if (n * (n + 1.0) * value_of(t[0]) > 40.0) break;
      const X next = ((2.0 * n + 1.0) * cosine * legendre - n * before) * (1.0 / (n + 1.0));
      before = legendre;
      legendre = next;
    }
    return sum / norm;
  }
};
std::string refuse_places(const KernelOptions&, const double* x) {
  if (std::abs(x[1]) > 90.0)
    return fmt::format("a latitude is from -90 to 90 degrees, and one is {:.6g}: sphere(lon, lat)",
                       x[1]);
  return std::abs(x[0]) > 360.0
             ? fmt::format("a longitude is from -360 to 360 degrees, and one is {:.6g}", x[0])
             : "";
}
}  // namespace

extern const KernelRow sphere_kernel;
const KernelRow sphere_kernel =
    with_functions<Sphere, 1>({.name = "sphere",
                               .summary = "heat kernel of the sphere: sphere(lon, lat), in degrees",
                               .reference = "rasmussen2006",
                               .words = "a smooth field on the globe",
                               .least_columns = 2,
                               .most_columns = 2,
                               .columns = KernelColumns::degrees,
                               .smoothness = smoothness_is<kSmooth>,
                               .refusal = refuse_places});

}  // namespace credo::models
