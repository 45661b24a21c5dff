// Elementwise rows over special functions: kernel, partial derivatives and the function of
// graph/core/expr.hpp, side by side. Errors of the kernels are stated in numerics/special.hpp. A row
// whose derivatives end says so in its order; docs/design/operations.md lists those below three.
#include "graph/core/special.hpp"
#include "numerics/simd/highway.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "graph/ops/special.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "base/row_list.hpp"
#include "graph/core/ops.hpp"
#include "graph/ops/map-inl.hpp"
#include "graph/ops/special_incomplete.hpp"
#include "numerics/simd/elementary-inl.hpp"
#include "numerics/simd/special-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace credo::graph::HWY_NAMESPACE {
namespace {  // kernels of other files may have the same names
namespace nm = numerics::HWY_NAMESPACE;

CREDO_KERNEL_1(lgamma, nm::Lgamma(d, a))
CREDO_KERNEL_1(digamma, nm::Digamma(d, a))
CREDO_KERNEL_1(trigamma, nm::Trigamma(d, a))
CREDO_KERNEL_1(tetragamma, nm::Tetragamma(d, a))
CREDO_KERNEL_1(pentagamma, nm::Pentagamma(d, a))
CREDO_KERNEL_1(digamma_less_log, nm::DigammaLessLog(d, a))
CREDO_KERNEL_2(lgamma_excess, nm::LgammaExcess(d, a, b))
CREDO_KERNEL_2(digamma_excess, nm::DigammaExcess(d, a, b))
CREDO_KERNEL_2(trigamma_excess, nm::TrigammaExcess(d, a, b))
CREDO_KERNEL_2(lgamma_delta, nm::LgammaDelta(d, a, b))
CREDO_KERNEL_2(digamma_delta, nm::DigammaDelta(d, a, b))
CREDO_KERNEL_2(lbeta, nm::Lbeta(d, a, b))
CREDO_KERNEL_2(lchoose, nm::Lchoose(d, a, b))

CREDO_KERNEL_1(log1pmx, nm::Log1pmx(d, a))
CREDO_KERNEL_2(scaled_log1p, hn::Mul(a, nm::Log1p(d, hn::Div(b, a))))
CREDO_KERNEL_2(scaled_log1p_exp, hn::Mul(a, nm::Log1pExp(d, hn::Sub(b, nm::Log(d, a)))))

CREDO_KERNEL_1(erf, nm::Erf(d, a))
CREDO_KERNEL_1(erfc, nm::Erfc(d, a))
CREDO_KERNEL_1(phi, nm::Phi(d, a))
CREDO_KERNEL_1(log_phi, nm::LogPhi(d, a))
CREDO_KERNEL_1(inverse_mills, nm::InverseMills(d, a))
CREDO_KERNEL_1(inv_phi, nm::InvPhi(d, a))

CREDO_KERNEL_1(log_bessel_i0, nm::LogBesselI0(d, a))
CREDO_KERNEL_1(bessel_ratio, nm::BesselRatio(d, a))
CREDO_KERNEL_1(bessel_ratio_1, nm::BesselRatio1(d, a))
CREDO_KERNEL_1(bessel_ratio_2, nm::BesselRatio2(d, a))

CREDO_KERNEL_2(log_inv_logit_diff, nm::LogInvLogitDiff(d, a, b))

}  // namespace
}  // namespace credo::graph::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#define CREDO_LIMITED_ROW(id, count, times, ...)                                \
  HWY_EXPORT(id##_kernel);                                                      \
  HWY_EXPORT(id##_row_kernels);                                                 \
  static const Op id##_row{.name = #id,                                         \
                           .arity = count,                                      \
                           .order = times,                                      \
                           .rule = [](const RuleArgs& r) -> std::vector<Expr> { \
                             (void)r;                                           \
                             __VA_ARGS__                                        \
                           },                                                   \
                           .kernel = CREDO_SELECT(id),                          \
                           .row = CREDO_SELECT_ROW(id)};
#define CREDO_LIMITED_ROW_1(id, times, ...)    \
  CREDO_LIMITED_ROW(id, 1, times, __VA_ARGS__) \
  Expr id(const Expr& x) { return apply(id##_row, {x}); }
#define CREDO_LIMITED_ROW_2(id, times, ...)    \
  CREDO_LIMITED_ROW(id, 2, times, __VA_ARGS__) \
  Expr id(const Expr& a, const Expr& b) { return apply(id##_row, {a, b}); }

namespace credo::graph {
namespace {
constexpr double kTwoOverSqrtPi = 1.12837916709551257390;
constexpr double kInvSqrtTwoPi = 0.39894228040143267794;
constexpr double kSqrtTwoPi = 2.50662827463100050242;

Expr normal_density(const Expr& x) { return kInvSqrtTwoPi * exp(-0.5 * square(x)); }

// A = I1/I0 obeys A' = 1 - A/x - A^2, so A''' follows from A, A' and A''. Near 0 the terms cancel;
// the relative error of this third derivative of A grows like 1e-16/x^3 there, and at 0 it is its
// limit, -3/8.
Expr bessel_ratio_3(const Expr& x) {
  const Expr at_zero = equal(x, 0.0), safe = select(at_zero, 1.0, x);
  const Expr a = bessel_ratio(safe), a1 = bessel_ratio_1(safe), a2 = bessel_ratio_2(safe);
  const Expr value = -a2 / safe + 2.0 * a1 / square(safe) - 2.0 * a / (square(safe) * safe) -
                     2.0 * square(a1) - 2.0 * a * a2;
  return select(at_zero, -0.375, value);
}
}  // namespace

CREDO_LIMITED_ROW_1(pentagamma, 0, return {Expr()};)
CREDO_LIMITED_ROW_1(tetragamma, 1, return {pentagamma(r.in[0])};)
CREDO_LIMITED_ROW_1(trigamma, 2, return {tetragamma(r.in[0])};)
CREDO_LIMITED_ROW_1(digamma, 3, return {trigamma(r.in[0])};)
CREDO_LIMITED_ROW_1(lgamma, 4, return {digamma(r.in[0])};)
CREDO_LIMITED_ROW_1(digamma_less_log, 3, return {trigamma(r.in[0]) - 1.0 / r.in[0]};)

// The differences keep their digits for two derivatives by x; from there on they are taken as they
// stand.
CREDO_LIMITED_ROW_2(trigamma_excess, 2, const Expr& x = r.in[0]; const Expr z = x + r.in[1];
                    return {tetragamma(z) - tetragamma(x) - 2.0 * r.in[1] / (square(x) * x),
                            tetragamma(z) + 1.0 / square(x)};)
CREDO_LIMITED_ROW_2(digamma_excess, 3,
                    return {trigamma_excess(r.in[0], r.in[1]),
                            trigamma(r.in[0] + r.in[1]) - 1.0 / r.in[0]};)
CREDO_LIMITED_ROW_2(lgamma_excess, 4,
                    return {digamma_excess(r.in[0], r.in[1]),
                            digamma_less_log(r.in[0] + r.in[1]) + log1p(r.in[1] / r.in[0])};)
CREDO_LIMITED_ROW_2(digamma_delta, 3, const Expr z = trigamma(r.in[0] + r.in[1]);
                    return {z - trigamma(r.in[0]), z};)
CREDO_LIMITED_ROW_2(lgamma_delta, 4,
                    return {digamma_delta(r.in[0], r.in[1]), digamma(r.in[0] + r.in[1])};)
CREDO_LIMITED_ROW_2(lbeta, 4,
                    return {-digamma_delta(r.in[0], r.in[1]), -digamma_delta(r.in[1], r.in[0])};)
CREDO_LIMITED_ROW_2(lchoose, 4, const Expr rest = r.in[0] - r.in[1] + 1.0;
                    return {digamma_delta(rest, r.in[1]), digamma(rest) - digamma(r.in[1] + 1.0)};)

// With u = m/n: log1p(u) - u/(1 + u) = -log1pmx(-u/(1 + u)), which is about u^2/2 and would cancel.
CREDO_ROW_1(log1pmx, return {-r.in[0] / (1.0 + r.in[0])};)
CREDO_ROW_2(scaled_log1p, const Expr total = r.in[0] + r.in[1];
            return {-log1pmx(-r.in[1] / total), r.in[0] / total};)
CREDO_ROW_2(scaled_log1p_exp, const Expr weight = inv_logit(r.in[1] - log(r.in[0]));
            return {-log1pmx(-weight), r.in[0] * weight};)

CREDO_ROW_1(erf, return {kTwoOverSqrtPi * exp(-square(r.in[0]))};)
CREDO_ROW_1(erfc, return {-kTwoOverSqrtPi * exp(-square(r.in[0]))};)
CREDO_ROW_1(phi, return {normal_density(r.in[0])};)
CREDO_ROW_1(inverse_mills, return {-r.out * (r.in[0] + r.out)};)
CREDO_ROW_1(log_phi, return {inverse_mills(r.in[0])};)
CREDO_ROW_1(inv_phi, return {kSqrtTwoPi * exp(0.5 * square(r.out))};)

CREDO_ROW_1(bessel_ratio_2, return {bessel_ratio_3(r.in[0])};)
CREDO_ROW_1(bessel_ratio_1, return {bessel_ratio_2(r.in[0])};)
CREDO_ROW_1(bessel_ratio, return {bessel_ratio_1(r.in[0])};)
CREDO_ROW_1(log_bessel_i0, return {bessel_ratio(r.in[0])};)

// Both partials are sums of one sign.
CREDO_ROW_2(log_inv_logit_diff, return {1.0 / expm1(r.in[0] - r.in[1]) + inv_logit(-r.in[0]),
                                        -1.0 / expm1(r.in[0] - r.in[1]) - inv_logit(r.in[1])};)

// clang-format off
#define CREDO_ROWS(row) \
  row(bessel_ratio_1_row) \
  row(bessel_ratio_2_row) \
  row(bessel_ratio_row) \
  row(digamma_delta_row) \
  row(digamma_excess_row) \
  row(digamma_less_log_row) \
  row(digamma_row) \
  row(erf_row) \
  row(erfc_row) \
  row(inv_phi_row) \
  row(inverse_mills_row) \
  row(lbeta_row) \
  row(lchoose_row) \
  row(lgamma_delta_row) \
  row(lgamma_excess_row) \
  row(lgamma_row) \
  row(log_bessel_i0_row) \
  row(log_inv_logit_diff_row) \
  row(log1pmx_row) \
  row(log_phi_row) \
  row(pentagamma_row) \
  row(phi_row) \
  row(scaled_log1p_exp_row) \
  row(scaled_log1p_row) \
  row(tetragamma_row) \
  row(trigamma_excess_row) \
  row(trigamma_row)
// clang-format on

std::span<const Op* const> ops::special_rows() {
  static const std::vector<const Op*> rows = [] {
    std::vector<const Op*> all{CREDO_ROWS(CREDO_ADDRESS_OF_ROW)};
    const auto incomplete = ops::incomplete_rows();
    all.insert(all.end(), incomplete.begin(), incomplete.end());
    return all;
  }();
  return rows;
}

}  // namespace credo::graph
#endif
