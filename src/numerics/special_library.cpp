// The one file that sees Boost.Math. Errors become NaN or infinities, never exceptions.
#include "numerics/special_library.hpp"

#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/special_functions/lambert_w.hpp>
#include <boost/math/special_functions/owens_t.hpp>

namespace credo::numerics {
namespace {
namespace bp = boost::math::policies;

// Double, not long double, inside: the required accuracy doesn't need more.
const auto kQuiet = bp::make_policy(
    bp::domain_error<bp::ignore_error>(), bp::pole_error<bp::ignore_error>(),
    bp::overflow_error<bp::ignore_error>(), bp::evaluation_error<bp::ignore_error>(),
    bp::underflow_error<bp::ignore_error>(), bp::promote_double<false>());
}  // namespace

double bessel_j(int order, double x) {
  if (std::isnan(x)) return kNaN;
  return boost::math::cyl_bessel_j(order, x, kQuiet);
}

double bessel_y(int order, double x) {
  if (!(x >= 0)) return kNaN;
  return x == 0 ? -kInfinity : boost::math::cyl_neumann(order, x, kQuiet);
}

double bessel_i(int order, double x) {
  if (std::isnan(x)) return kNaN;
  return boost::math::cyl_bessel_i(order, x, kQuiet);
}

double bessel_k(int order, double x) {
  if (!(x >= 0)) return kNaN;
  return x == 0 ? kInfinity : boost::math::cyl_bessel_k(order, x, kQuiet);
}

double owens_t(double h, double a) {
  if (std::isnan(h) || std::isnan(a)) return kNaN;
  return boost::math::owens_t(h, a, kQuiet);
}

double lambert_w0(double x) {
  if (!(x >= -0.36787944117144233)) return kNaN;
  return std::isinf(x) ? x : boost::math::lambert_w0(x, kQuiet);
}

double lambert_wm1(double x) {
  if (!(x >= -0.36787944117144233) || !(x < 0)) return x == 0 ? -kInfinity : kNaN;
  return boost::math::lambert_wm1(x, kQuiet);
}

double tgamma(double x) {
  if (std::isnan(x) || (x <= 0 && x == std::floor(x))) return kNaN;
  return std::isinf(x) || x > 172 ? kInfinity : boost::math::tgamma(x, kQuiet);
}

}  // namespace credo::numerics
