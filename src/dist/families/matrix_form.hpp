// Symmetric matrices in natural parameters: the elements on the diagonal and above it, by columns. The inner product of a matrix -P / 2 and a symmetric
// matrix X is the sum of these elements of X times -P_ii / 2 and -P_ij.
#pragma once
#include "dist/families/family.hpp"
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::dist::matrix_form {
using Numbers = std::vector<double>;
using numerics::RowMatrix;

// n of n (n + 1) / 2 elements.
inline Index side_of(std::size_t num_elements) {
  return static_cast<Index>(0.5 * (std::sqrt(8.0 * static_cast<double>(num_elements) + 1.0) - 1.0) +
                            0.5);
}

inline Numbers packed(const RowMatrix& x) {
  Numbers all;
  for (Index j = 0; j < x.cols; ++j)
    for (Index i = 0; i <= j; ++i) all.push_back(x(i, j));
  return all;
}

inline RowMatrix unpacked(Params elements) {
  RowMatrix x(side_of(elements.size()));
  std::size_t k = 0;
  for (Index j = 0; j < x.cols; ++j)
    for (Index i = 0; i <= j; ++i) x(i, j) = x(j, i) = elements[k++];
  return x;
}

// P of the natural parameters -P / 2, and back.
inline RowMatrix precision_of(Params natural) {
  RowMatrix p = unpacked(natural);
  for (Index i = 0; i < p.rows; ++i)
    for (Index j = 0; j < p.cols; ++j) p(i, j) *= i == j ? -2.0 : -1.0;
  return p;
}
inline Numbers natural_of(RowMatrix p) {
  for (Index i = 0; i < p.rows; ++i)
    for (Index j = 0; j < p.cols; ++j) p(i, j) *= i == j ? -0.5 : -1.0;
  return packed(p);
}

// A square matrix by columns; one by rows is the same where it is symmetric.
inline RowMatrix square_of(Params x) {
  const auto n = static_cast<Index>(std::sqrt(static_cast<double>(x.size())) + 0.5);
  return {n, n, x};
}

inline bool is_positive(const RowMatrix& x) {
  const RowMatrix factor = numerics::lower_factor(x);
  for (Index i = 0; i < x.rows; ++i)
    if (!(factor(i, i) > 0.0)) return false;
  return true;
}
inline double log_det(const RowMatrix& x) {
  return numerics::log_determinant_of_factor(numerics::lower_factor(x));
}
inline RowMatrix inverse(const RowMatrix& x) {
  return numerics::inverse_from_factor(numerics::lower_factor(x));
}

}  // namespace credo::dist::matrix_form
