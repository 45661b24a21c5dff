// Elementwise rows over the elementary functions: kernel, partial derivatives and the function of
// graph/core/expr.hpp, side by side. Derivatives are written so that they keep their digits where the
// function does (1 - tanh(x)^2 would not).
#include "numerics/simd/highway.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "graph/ops/elementwise.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "base/row_list.hpp"
#include "graph/core/ops.hpp"
#include "graph/ops/map-inl.hpp"
#include "numerics/simd/elementary-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace credo::graph::HWY_NAMESPACE {
namespace {  // kernels of other files may have the same names
namespace nm = numerics::HWY_NAMESPACE;

template <class D, class Mask>
HWY_INLINE hn::Vec<D> one_if(D d, Mask mask) {
  return hn::IfThenElseZero(mask, hn::Set(d, 1.0));
}

// a log(b), and 0 where a = 0, whatever b >= 0 is.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V multiply_log_of(D d, V a, V b) {
  const auto vanishes = hn::And(hn::Eq(a, hn::Zero(d)), hn::Ge(b, hn::Zero(d)));
  return hn::IfThenElse(vanishes, hn::Zero(d), hn::Mul(a, nm::Log(d, b)));
}

// C's fmax and fmin: a NaN only if both are.
template <class V>
HWY_INLINE V fmax_of(V a, V b) {
  return hn::IfThenElse(hn::IsNaN(a), b, hn::IfThenElse(hn::Or(hn::Ge(a, b), hn::IsNaN(b)), a, b));
}
template <class V>
HWY_INLINE V fmin_of(V a, V b) {
  return hn::IfThenElse(hn::IsNaN(a), b, hn::IfThenElse(hn::Or(hn::Le(a, b), hn::IsNaN(b)), a, b));
}

CREDO_KERNEL_2(add, hn::Add(a, b))
CREDO_KERNEL_2(sub, hn::Sub(a, b))
CREDO_KERNEL_2(mul, hn::Mul(a, b))
CREDO_KERNEL_2(div, hn::Div(a, b))
CREDO_KERNEL_1(neg, hn::Neg(a))
CREDO_KERNEL_1(abs, hn::Abs(a))
CREDO_KERNEL_1(sqrt, hn::Sqrt(a))
CREDO_KERNEL_1(square, hn::Mul(a, a))
CREDO_KERNEL_1(floor, hn::Floor(a))
CREDO_KERNEL_1(ceil, hn::Ceil(a))
CREDO_KERNEL_1(trunc, hn::Trunc(a))
CREDO_KERNEL_1(round, nm::Round(d, a))
CREDO_KERNEL_2(fmax, fmax_of(a, b))
CREDO_KERNEL_2(fmin, fmin_of(a, b))
CREDO_KERNEL_2(less, one_if(d, hn::Lt(a, b)))
CREDO_KERNEL_2(less_equal, one_if(d, hn::Le(a, b)))
CREDO_KERNEL_2(equal, one_if(d, hn::Eq(a, b)))
CREDO_KERNEL_3(select, hn::IfThenElse(hn::Ne(a, hn::Zero(d)), b, c))

CREDO_KERNEL_1(exp, nm::Exp(d, a))
CREDO_KERNEL_1(exp2, nm::Exp2(d, a))
CREDO_KERNEL_1(expm1, nm::Expm1(d, a))
CREDO_KERNEL_1(log, nm::Log(d, a))
CREDO_KERNEL_1(log2, nm::Log2(d, a))
CREDO_KERNEL_1(log10, nm::Log10(d, a))
CREDO_KERNEL_1(log1p, nm::Log1p(d, a))
CREDO_KERNEL_2(pow, nm::Pow(d, a, b))
CREDO_KERNEL_1(cbrt, nm::Cbrt(d, a))
CREDO_KERNEL_2(hypot, nm::Hypot(d, a, b))
CREDO_KERNEL_2(multiply_log, multiply_log_of(d, a, b))

CREDO_KERNEL_1(inv_logit, nm::InvLogit(d, a))
CREDO_KERNEL_1(log_inv_logit, nm::LogInvLogit(d, a))
CREDO_KERNEL_1(log1p_exp, nm::Log1pExp(d, a))
void log1p_exp_inv_logit_kernel(const BlockArgs& args) {
  map_joint_groups(
      [](auto d, auto a, auto& second) HWY_ATTR {
        const auto e = nm::ExpOfMinus(d, a);
        second = nm::InvLogitBy(d, a, e);
        return nm::Log1pExpBy(d, a, e);
      },
      args);
}
CREDO_KERNEL_1(log1m_exp, nm::Log1mExp(d, a))
CREDO_KERNEL_2(log_sum_exp, nm::LogSumExp2(d, a, b))
CREDO_KERNEL_2(log_diff_exp, nm::LogDiffExp(d, a, b))

}  // namespace
}  // namespace credo::graph::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace credo::graph {
namespace {

constexpr double kLn2 = 0.69314718055994530942;
constexpr double kLn10 = 2.30258509299404568402;

// exp(a) / (exp(a) + exp(b)), and 0 where both are -infinity: fmax takes the NaN of their
// difference for what isn't there
Expr weight_against(const Expr& a, const Expr& b) { return inv_logit(fmax(a - b, -kInfinity)); }

Expr power_by_exponent(const RuleArgs& r) {  // a^b log(a), and 0 at a = 0
  const Expr nonzero = less(0.0, abs(r.in[0]));
  return nonzero * r.out * log(select(nonzero, r.in[0], 1.0));
}

// d/da a^b = b a^(b-1); at b = 0 that would be 0 * infinity for a = 0
Expr power_by_base(const RuleArgs& r) {
  const Expr& b = r.in[1];
  if (b.is_constant() && b.is_scalar() && b.value() == 0.0) return {};
  return b * pow(r.in[0], b - 1.0);
}
}  // namespace

CREDO_ROW(add, 2, return {1.0, 1.0};)
CREDO_ROW(sub, 2, return {1.0, -1.0};)
CREDO_ROW(mul, 2, return {r.in[1], r.in[0]};)
CREDO_ROW(div, 2, return {1.0 / r.in[1], -r.out / r.in[1]};)
CREDO_ROW(neg, 1, return {-1.0};)
Expr operator-(const Expr& a) { return apply(neg_row, {a}); }
Expr operator+(const Expr& a, const Expr& b) { return apply(add_row, {a, b}); }
Expr operator-(const Expr& a, const Expr& b) { return apply(sub_row, {a, b}); }
Expr operator*(const Expr& a, const Expr& b) { return apply(mul_row, {a, b}); }
Expr operator/(const Expr& a, const Expr& b) { return apply(div_row, {a, b}); }

CREDO_ROW_1(abs, return {less(0.0, r.in[0]) - less(r.in[0], 0.0)};)
CREDO_ROW_1(sqrt, return {0.5 / r.out};)
CREDO_ROW_1(square, return {2.0 * r.in[0]};)
CREDO_ROW_1(floor, return {Expr()};)
CREDO_ROW_1(ceil, return {Expr()};)
CREDO_ROW_1(trunc, return {Expr()};)
CREDO_ROW_1(round, return {Expr()};)
CREDO_ROW_2(fmax, return {less_equal(r.in[1], r.in[0]), less(r.in[0], r.in[1])};)
CREDO_ROW_2(fmin, return {less_equal(r.in[0], r.in[1]), less(r.in[1], r.in[0])};)
CREDO_ROW_2(less, return {Expr(), Expr()};)
CREDO_ROW_2(less_equal, return {Expr(), Expr()};)
CREDO_ROW_2(equal, return {Expr(), Expr()};)
HWY_EXPORT(select_kernel);
HWY_EXPORT(select_row_kernels);
static const Op select_row{
    .name = "select",
    .arity = 3,
    .rule = [](const RuleArgs& r) -> std::vector<Expr> {
      return {Expr(), select(r.in[0], 1.0, 0.0), select(r.in[0], 0.0, 1.0)};
    },
    .adjoint = [](const RuleArgs& r) -> std::vector<Expr> {
      return {Expr(), select(r.in[0], r.grad, 0.0), select(r.in[0], 0.0, r.grad)};
    },
    .kernel = CREDO_SELECT(select),
    .row = CREDO_SELECT_ROW(select)};
Expr select(const Expr& condition, const Expr& a, const Expr& b) {
  return apply(select_row, {condition, a, b});
}

CREDO_ROW_1(exp, return {r.out};)
CREDO_ROW_1(exp2, return {kLn2 * r.out};)
CREDO_ROW_1(expm1, return {exp(r.in[0])};)
CREDO_ROW_1(log, return {1.0 / r.in[0]};)
CREDO_ROW_1(log2, return {1.0 / (kLn2 * r.in[0])};)
CREDO_ROW_1(log10, return {1.0 / (kLn10 * r.in[0])};)
CREDO_ROW_1(log1p, return {1.0 / (1.0 + r.in[0])};)
CREDO_ROW_2(pow, return {power_by_base(r), power_by_exponent(r)};)
CREDO_ROW_1(cbrt, return {1.0 / (3.0 * square(r.out))};)
CREDO_ROW_2(hypot, return {r.in[0] / r.out, r.in[1] / r.out};)
CREDO_ROW_2(multiply_log,
            return {log(r.in[1]), r.in[0] / select(equal(r.in[0], 0.0), 1.0, r.in[1])};)

CREDO_ROW_1(inv_logit, return {r.out * inv_logit(-r.in[0])};)
CREDO_ROW_1(log_inv_logit, return {inv_logit(-r.in[0])};)
HWY_EXPORT(log1p_exp_inv_logit_kernel);
CREDO_JOINT_ROW(
    log1p_exp, 1, &inv_logit_row,
    []() -> BlockKernel { return &HWY_DYNAMIC_DISPATCH(log1p_exp_inv_logit_kernel); },
    return {inv_logit(r.in[0])};)
Expr log1p_exp(const Expr& x) { return apply(log1p_exp_row, {x}); }
CREDO_ROW_1(log1m_exp, return {-1.0 / expm1(-r.in[0])};)
CREDO_ROW_2(log_sum_exp,
            return {weight_against(r.in[0], r.in[1]), weight_against(r.in[1], r.in[0])};)
CREDO_ROW_2(log_diff_exp,
            return {-1.0 / expm1(r.in[1] - r.in[0]), -1.0 / expm1(r.in[0] - r.in[1])};)

Expr inv(const Expr& x) { return 1.0 / x; }
Expr inv_sqrt(const Expr& x) { return 1.0 / sqrt(x); }
Expr log1m(const Expr& x) { return log1p(-x); }

// clang-format off
#define CREDO_ROWS(row) \
  row(abs_row) \
  row(add_row) \
  row(cbrt_row) \
  row(ceil_row) \
  row(div_row) \
  row(equal_row) \
  row(exp2_row) \
  row(exp_row) \
  row(expm1_row) \
  row(floor_row) \
  row(fmax_row) \
  row(fmin_row) \
  row(hypot_row) \
  row(inv_logit_row) \
  row(less_equal_row) \
  row(less_row) \
  row(log10_row) \
  row(log1m_exp_row) \
  row(log1p_exp_row) \
  row(log1p_row) \
  row(log2_row) \
  row(log_diff_exp_row) \
  row(log_inv_logit_row) \
  row(log_row) \
  row(log_sum_exp_row) \
  row(mul_row) \
  row(multiply_log_row) \
  row(neg_row) \
  row(pow_row) \
  row(round_row) \
  row(select_row) \
  row(sqrt_row) \
  row(square_row) \
  row(sub_row) \
  row(trunc_row)
// clang-format on

std::span<const Op* const> ops::elementwise_rows() {
  static const std::array rows{CREDO_ROWS(CREDO_ADDRESS_OF_ROW)};
  return rows;
}

}  // namespace credo::graph
#endif
