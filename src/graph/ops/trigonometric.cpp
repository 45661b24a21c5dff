// Elementwise rows over the trigonometric and hyperbolic functions.
#include "numerics/simd/highway.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "graph/ops/trigonometric.cpp"
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

CREDO_KERNEL_1(sin, nm::Sin(d, a))
CREDO_KERNEL_1(cos, nm::Cos(d, a))
CREDO_KERNEL_1(tan, nm::Tan(d, a))
CREDO_KERNEL_1(asin, nm::Asin(d, a))
CREDO_KERNEL_1(acos, nm::Acos(d, a))
CREDO_KERNEL_1(atan, nm::Atan(d, a))
CREDO_KERNEL_2(atan2, nm::Atan2(d, a, b))
CREDO_KERNEL_1(sinh, nm::Sinh(d, a))
CREDO_KERNEL_1(cosh, nm::Cosh(d, a))
CREDO_KERNEL_1(tanh, nm::Tanh(d, a))
CREDO_KERNEL_1(asinh, nm::Asinh(d, a))
CREDO_KERNEL_1(acosh, nm::Acosh(d, a))
CREDO_KERNEL_1(atanh, nm::Atanh(d, a))

}  // namespace
}  // namespace credo::graph::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace credo::graph {
namespace {
Expr one_minus_square(const Expr& x) { return (1.0 - x) * (1.0 + x); }
}  // namespace

CREDO_ROW_1(sin, return {cos(r.in[0])};)
CREDO_ROW_1(cos, return {-sin(r.in[0])};)
CREDO_ROW_1(tan, return {1.0 + square(r.out)};)
CREDO_ROW_1(asin, return {1.0 / sqrt(one_minus_square(r.in[0]))};)
CREDO_ROW_1(acos, return {-1.0 / sqrt(one_minus_square(r.in[0]))};)
CREDO_ROW_1(atan, return {1.0 / (1.0 + square(r.in[0]))};)
CREDO_ROW_2(atan2, const Expr s = square(r.in[0]) + square(r.in[1]);
            return {r.in[1] / s, -r.in[0] / s};)
CREDO_ROW_1(sinh, return {cosh(r.in[0])};)
CREDO_ROW_1(cosh, return {sinh(r.in[0])};)
CREDO_ROW_1(tanh, return {1.0 / square(cosh(r.in[0]))};)
CREDO_ROW_1(asinh, return {1.0 / hypot(1.0, r.in[0])};)
CREDO_ROW_1(acosh, return {1.0 / sqrt((r.in[0] - 1.0) * (r.in[0] + 1.0))};)
CREDO_ROW_1(atanh, return {1.0 / one_minus_square(r.in[0])};)

// clang-format off
#define CREDO_ROWS(row) \
  row(acos_row) \
  row(acosh_row) \
  row(asin_row) \
  row(asinh_row) \
  row(atan2_row) \
  row(atan_row) \
  row(atanh_row) \
  row(cos_row) \
  row(cosh_row) \
  row(sin_row) \
  row(sinh_row) \
  row(tan_row) \
  row(tanh_row)
// clang-format on

std::span<const Op* const> ops::trigonometric_rows() {
  static const std::array rows{CREDO_ROWS(CREDO_ADDRESS_OF_ROW)};
  return rows;
}

}  // namespace credo::graph
#endif
