// Parts shared by several constraints.
#pragma once
#include "transform/transform.hpp"

namespace credo::transform {

// Absolute tolerance of the checks on values.
inline constexpr double kTolerance = 1e-8;

// Elements [begin, begin + count) of x as a vector; with a stride, every stride-th one.
Expr slice(const Expr& x, Index begin, Index count, Index stride = 1);

// Elements first, first + step, ... of the positions 0 .. count - 1, as an index list.
std::vector<std::int32_t> positions(Index first, Index count, Index step = 1);

// x where the mask isn't 0, else y. A mask that is known and the same everywhere makes no node.
Expr choose(const Expr& mask, const Expr& x, const Expr& y);

// The sum of x over `size` elements; a scalar counts once for each of them.
Expr total(const Expr& x, Index size);

// Joins scalar terms; those known to be zero make no node.
Expr sum_of(std::span<const Expr> terms);

// |x - target| <= kTolerance, as a check on the deviation that reports x.
void check_near(const Expr& x, double target, const graph::Requirement& requirement,
                Checks& checks);

// Elements of the strict upper triangle are zero.
void check_lower_triangular(const Expr& matrix, std::string_view variable, Checks& checks);
// Symmetric within the tolerance.
void check_symmetric(const Expr& matrix, std::string_view variable, Checks& checks);
void check_positive_definite(const Expr& matrix, std::string_view variable, Checks& checks);

Expr diagonal(const Expr& matrix);  // diagonal of a matrix with at least as many rows as columns

// The first thing wrong with a value of plain numbers, in words; empty: it is legal.
std::optional<Broken> first_broken(const Transform& transform, std::span<const double> value,
                                   const Shape& unit, const Bounds& bounds);

// The factor of a symmetric positive definite matrix of plain numbers, column-major.
std::vector<double> plain_cholesky(std::span<const double> matrix, Index n);

}  // namespace credo::transform
