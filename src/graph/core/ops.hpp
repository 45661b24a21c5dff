// Rows that other files of this layer name directly; every other row is reached through the table
// or through the functions of graph/core/expr.hpp.
#pragma once
#include "graph/core/op.hpp"

namespace credo::graph::ops {

extern const Op constant, input;
extern const Op sum, dot, sum_log1p_exp, pack, gather, scatter_add, concat, broadcast, matmul;

// The rows of each file, joined by graph/ops/op_table.cpp.
std::span<const Op* const> elementwise_rows();
std::span<const Op* const> trigonometric_rows();
std::span<const Op* const> special_rows();
std::span<const Op* const> special_library_rows();
std::span<const Op* const> hypergeometric_rows();
std::span<const Op* const> com_poisson_rows();
std::span<const Op* const> reduction_rows();
std::span<const Op* const> structure_rows();
std::span<const Op* const> choice_rows();
std::span<const Op* const> order_rows();
std::span<const Op* const> linear_algebra_rows();
std::span<const Op* const> decomposition_rows();
std::span<const Op* const> check_rows();
std::span<const Op* const> routine_rows();

}  // namespace credo::graph::ops

// The kernel of the active SIMD target, for a file that exports `name##_kernel` with HWY_EXPORT.
#define CREDO_SELECT(name) []() -> Kernel { return &HWY_DYNAMIC_DISPATCH(name##_kernel); }
#define CREDO_SELECT_ROW(name) \
  []() -> const RowKernels* { return HWY_DYNAMIC_DISPATCH(name##_row_kernels)(); }

// CREDO_ROW_n(name, partials...) exports name##_kernel and defines the elementwise row and the
// function of graph/core/expr.hpp. The partials are statements over `r` (RuleArgs) that return one
// expression an operand.
#define CREDO_JOINT_ROW(id, count, other_row, joint_kernel, ...)                \
  HWY_EXPORT(id##_kernel);                                                      \
  HWY_EXPORT(id##_row_kernels);                                                 \
  static const Op id##_row{.name = #id,                                         \
                           .arity = count,                                      \
                           .rule = [](const RuleArgs& r) -> std::vector<Expr> { \
                             (void)r;                                           \
                             __VA_ARGS__                                        \
                           },                                                   \
                           .kernel = CREDO_SELECT(id),                          \
                           .row = CREDO_SELECT_ROW(id),                         \
                           .joint = {other_row, joint_kernel}};
#define CREDO_ROW(id, count, ...) CREDO_JOINT_ROW(id, count, nullptr, nullptr, __VA_ARGS__)
#define CREDO_ROW_1(id, ...)    \
  CREDO_ROW(id, 1, __VA_ARGS__) \
  Expr id(const Expr& x) { return apply(id##_row, {x}); }
#define CREDO_ROW_2(id, ...)    \
  CREDO_ROW(id, 2, __VA_ARGS__) \
  Expr id(const Expr& a, const Expr& b) { return apply(id##_row, {a, b}); }
#define CREDO_ROW_3(id, ...)    \
  CREDO_ROW(id, 3, __VA_ARGS__) \
  Expr id(const Expr& a, const Expr& b, const Expr& c) { return apply(id##_row, {a, b, c}); }
