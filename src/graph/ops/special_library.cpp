// Elementwise rows over functions of numerics/special_library.hpp and log I_nu: rare in models, and
// a microsecond each. Their derivatives are formulas over themselves and others.
#include "numerics/special_library.hpp"
#include "graph/core/ops.hpp"
#include "graph/core/special.hpp"
#include "graph/ops/map_plain.hpp"
#include "numerics/special_bessel.hpp"

namespace credo::graph {
namespace {
constexpr double kInvSqrtEightPi = 0.19947114020071633897;  // 1 / sqrt(8 pi)
constexpr double kSqrtHalf = 0.70710678118654752440;
constexpr double kInvTwoPi = 0.15915494309189533577;

// ---- Bessel functions of whole order: those of -n are those of n, of odd n with the other sign in
// J and Y

using Bessel = double (*)(int order, double x);
constexpr double kLargestOrder = 1e6;
template <Bessel f, bool alternates>
double bessel_of(double order, double x) {
  if (!(std::abs(order) <= kLargestOrder) || std::isnan(x)) return kNaN;
  if (std::isinf(x)) x = std::copysign(1e300, x);  // the limits: 0, or infinity
  const int n = static_cast<int>(order), size = std::abs(n);
  const double value = f(size, x);
  return alternates && n < 0 && size % 2 == 1 ? -value : value;
}

Expr half_difference(Expr (*f)(const Expr&, const Expr&), const RuleArgs& r) {
  return 0.5 * (f(r.in[0] - 1.0, r.in[1]) - f(r.in[0] + 1.0, r.in[1]));
}
Expr half_sum(Expr (*f)(const Expr&, const Expr&), const RuleArgs& r) {
  return 0.5 * (f(r.in[0] - 1.0, r.in[1]) + f(r.in[0] + 1.0, r.in[1]));
}

const Op bessel_j_row{.name = "bessel_j",
                      .arity = 2,
                      .rule = [](const RuleArgs& r) -> std::vector<Expr> {
                        return {{}, half_difference(bessel_j, r)};
                      },
                      .kernel = plain_2<bessel_of<numerics::bessel_j, true>>};
const Op bessel_y_row{.name = "bessel_y",
                      .arity = 2,
                      .rule = [](const RuleArgs& r) -> std::vector<Expr> {
                        return {{}, half_difference(bessel_y, r)};
                      },
                      .kernel = plain_2<bessel_of<numerics::bessel_y, true>>};
const Op bessel_i_row{.name = "bessel_i",
                      .arity = 2,
                      .rule = [](const RuleArgs& r) -> std::vector<Expr> {
                        return {{}, half_sum(bessel_i, r)};
                      },
                      .kernel = plain_2<bessel_of<numerics::bessel_i, false>>};
const Op bessel_k_row{.name = "bessel_k",
                      .arity = 2,
                      .rule = [](const RuleArgs& r) -> std::vector<Expr> {
                        return {{}, -half_sum(bessel_k, r)};
                      },
                      .kernel = plain_2<bessel_of<numerics::bessel_k, false>>};

// ---- log I_nu, with derivatives by the order

using Part = double numerics::LogBesselI::*;
template <Part part>
double log_bessel_part(double nu, double x) {
  if (!(nu > -1.0 && nu < kInfinity) || !(x > 0.0 && x < kInfinity)) return kNaN;
  return numerics::log_bessel_i(nu, x).*part;
}
double log_bessel_of(double nu, double x) {
  if (x == kInfinity && nu < kInfinity) return kInfinity;
  if (x == 0.0) return nu == 0.0 ? 0.0 : nu > 0.0 ? -kInfinity : kInfinity;
  return log_bessel_part<&numerics::LogBesselI::value>(nu, x);
}

const Op log_bessel_i_by_order_twice_row{
    .name = "log_bessel_i_by_order_twice",
    .arity = 2,
    .order = 0,
    .kernel = plain_2<log_bessel_part<&numerics::LogBesselI::by_order_twice>>};
const Op log_bessel_i_by_both_row{
    .name = "log_bessel_i_by_both",
    .arity = 2,
    .order = 0,
    .kernel = plain_2<log_bessel_part<&numerics::LogBesselI::by_both>>};
const Op log_bessel_i_by_argument_twice_row{
    .name = "log_bessel_i_by_argument_twice",
    .arity = 2,
    .order = 0,
    .kernel = plain_2<log_bessel_part<&numerics::LogBesselI::by_argument_twice>>};
const Op log_bessel_i_by_order_row{
    .name = "log_bessel_i_by_order",
    .arity = 2,
    .order = 1,
    .rule = [](const RuleArgs& r) -> std::vector<Expr> {
      return {apply(log_bessel_i_by_order_twice_row, r.in), apply(log_bessel_i_by_both_row, r.in)};
    },
    .kernel = plain_2<log_bessel_part<&numerics::LogBesselI::by_order>>};
const Op log_bessel_i_by_argument_row{
    .name = "log_bessel_i_by_argument",
    .arity = 2,
    .order = 1,
    .rule = [](const RuleArgs& r) -> std::vector<Expr> {
      return {apply(log_bessel_i_by_both_row, r.in),
              apply(log_bessel_i_by_argument_twice_row, r.in)};
    },
    .kernel = plain_2<log_bessel_part<&numerics::LogBesselI::by_argument>>};
const Op log_bessel_i_row{
    .name = "log_bessel_i",
    .arity = 2,
    .order = 2,
    .rule = [](const RuleArgs& r) -> std::vector<Expr> {
      return {apply(log_bessel_i_by_order_row, r.in), apply(log_bessel_i_by_argument_row, r.in)};
    },
    .kernel = plain_2<log_bessel_of>};

// ---- others

// T(h, a): by h -exp(-h^2/2) erf(a h / sqrt 2) / sqrt(8 pi), by a
// exp(-h^2 (1 + a^2) / 2) / (2 pi (1 + a^2)) [owen1956].
const Op owens_t_row{.name = "owens_t",
                     .arity = 2,
                     .rule = [](const RuleArgs& r) -> std::vector<Expr> {
                       const Expr &h = r.in[0], &a = r.in[1];
                       const Expr wide = 1.0 + square(a), normal = exp(-0.5 * square(h));
                       return {-kInvSqrtEightPi * normal * erf(kSqrtHalf * (a * h)),
                               kInvTwoPi * exp(-0.5 * square(h) * wide) / wide};
                     },
                     .kernel = plain_2<numerics::owens_t>};

std::vector<Expr> lambert_rule(const RuleArgs& r) { return {exp(-r.out) / (1.0 + r.out)}; }
const Op lambert_w0_row{
    .name = "lambert_w0", .rule = lambert_rule, .kernel = plain_1<numerics::lambert_w0>};
const Op lambert_wm1_row{
    .name = "lambert_wm1", .rule = lambert_rule, .kernel = plain_1<numerics::lambert_wm1>};

double remainder_of(double a, double b) { return std::fmod(a, b); }
const Op fmod_row{.name = "fmod",
                  .arity = 2,
                  .rule = [](const RuleArgs& r) -> std::vector<Expr> {
                    return {1.0, -trunc(r.in[0] / r.in[1])};
                  },
                  .kernel = plain_2<remainder_of>};
}  // namespace

Expr bessel_i(const Expr& n, const Expr& x) { return apply(bessel_i_row, {n, x}); }
Expr bessel_j(const Expr& n, const Expr& x) { return apply(bessel_j_row, {n, x}); }
Expr bessel_k(const Expr& n, const Expr& x) { return apply(bessel_k_row, {n, x}); }
Expr bessel_y(const Expr& n, const Expr& x) { return apply(bessel_y_row, {n, x}); }
Expr fmod(const Expr& a, const Expr& b) { return apply(fmod_row, {a, b}); }
Expr log_bessel_i(const Expr& nu, const Expr& x) { return apply(log_bessel_i_row, {nu, x}); }

std::span<const Op* const> ops::special_library_rows() {
  static const std::array<const Op*, 14> rows{&bessel_i_row,
                                              &bessel_j_row,
                                              &bessel_k_row,
                                              &bessel_y_row,
                                              &fmod_row,
                                              &lambert_w0_row,
                                              &lambert_wm1_row,
                                              &log_bessel_i_by_argument_row,
                                              &log_bessel_i_by_argument_twice_row,
                                              &log_bessel_i_by_both_row,
                                              &log_bessel_i_by_order_row,
                                              &log_bessel_i_by_order_twice_row,
                                              &log_bessel_i_row,
                                              &owens_t_row};
  return rows;
}

}  // namespace credo::graph
