// Functions shared by the rows of the matrix functions: sizes, checks and diagonals.
#pragma once
#include "lang/trace/builtins.hpp"

namespace credo::lang {

inline Index rows_of(const Value& v) { return shape_of(base_of(v), dims_of(v)).rows; }
inline Index cols_of(const Value& v) { return shape_of(base_of(v), dims_of(v)).cols; }
inline std::int32_t narrow(Index n) { return static_cast<std::int32_t>(n); }

inline Value matrix(const Expr& x, Index rows, Index cols) {
  return from_expr(x, BaseType::matrix, {rows, cols});
}

// Element i of a vector goes to the diagonal.
std::vector<std::int32_t> diagonal_places(Index n);
Expr diagonal_of(const Expr& square, Index n);

void check_square(const BuiltinCall& c, std::size_t k);
void check_symmetric(const BuiltinCall& c, std::size_t k);  // to 1e-8 of the largest element or 1
// Not positive definite: the factor's diagonal is NaN from the first bad pivot on.
void check_pivots(const BuiltinCall& c, const Expr& factor);

}  // namespace credo::lang
