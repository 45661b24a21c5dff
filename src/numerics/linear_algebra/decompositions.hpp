// Decompositions of one dense matrix: LU, QR, symmetric eigenvalues, singular values, exponential.
//
// Column-major and plain scalar arithmetic without fused multiply-adds, so the bits are the same on
// every CPU. Numbers that aren't finite come out as NaN, never as an endless loop. `work` is the
// caller's; nothing here allocates.
#pragma once
#include "base/types.hpp"

namespace credo::numerics {

// P A = L U with partial pivoting, in place; row i was exchanged with row pivots[i]. The sign of
// the permutation. O(n^3). [golub2013, alg. 3.4.1]
double lu_factor(Index n, double* a, double* pivots);
// X = A^-1 B or A^-T B in place, from lu_factor's results.
struct LuSizes {
  Index n = 0, cols = 0;
  bool transposed = false;
};
void lu_solve(const LuSizes& sizes, const double* lu, const double* pivots, double* b);

// A = V diag(values) V', values ascending, the columns of V orthonormal; A (symmetric) becomes V.
// Householder tridiagonalisation and implicit QL steps [golub2013, sections 8.3.1 and 8.3.5];
// |A - V diag(values) V'| is below 1e-14 n |A|. work: 2 n.
void symmetric_eigen(Index n, double* a, double* values, double* work);

// Thin decomposition A = U diag(values) V', values descending, for rows >= cols: A becomes U (rows
// x cols), v is cols x cols. One-sided Jacobi rotations [golub2013, section 8.6.3]; singular values
// have an error below 1e-14 cols times the largest.
void singular_values(Index rows, Index cols, double* a, double* values, double* v);

// A = Q R, diagonal of R >= 0. Q: rows x q_cols, with q_cols = min(rows, cols) or rows; A (rows x
// cols) becomes R in its first rows and zeros. Householder reflections [golub2013, alg. 5.2.1].
// work: rows times min(rows, cols).
struct QrSizes {
  Index rows = 0, cols = 0, q_cols = 0;
};
void qr(const QrSizes& sizes, double* a, double* q, double* work);

// exp(A) to out: scaling and squaring with the Pade approximant of degree 13 [higham2005,
// alg. 2.3]. work: matrix_exp_work(n).
void matrix_exp(Index n, const double* a, double* out, double* work);
Index matrix_exp_work(Index n);

}  // namespace credo::numerics
