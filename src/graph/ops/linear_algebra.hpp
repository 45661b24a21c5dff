// Linear algebra of expressions beyond products, Cholesky factors and triangular solves (those are
// in graph/core/expr.hpp). All matrices are single (batch 1); sizes are the caller's to check.
#pragma once
#include "graph/core/expr.hpp"

namespace credo::graph {

Expr identity(Index n);
Expr lower_part(const Expr& a, double diagonal = 1.0);  // zeros above, the diagonal scaled

// dot(row i of x, b) for each row of x, with the bits of dot.
Expr row_dots(const Expr& x, const Expr& b);

// A^-1 B, or A^-T B, by LU with pivoting; a singular matrix gives infinities or NaN.
Expr solve(const Expr& a, const Expr& b, bool transposed = false);
Expr determinant(const Expr& a);
Expr log_abs_determinant(const Expr& a);

// The symmetric part of A is V diag(values) V', values ascending. Its derivatives don't exist where
// values meet and the vectors matter.
struct SymmetricEigen {
  Expr values, vectors;
};
SymmetricEigen symmetric_eigen(const Expr& a);

// A (m x n) = U diag(values) V', values descending, k = min(m, n) columns.
struct SingularValues {
  Expr u, values, v;
};
SingularValues singular_values(const Expr& a);

// A (m x n) = Q R with k = min(m, n) columns of Q, diagonal of R >= 0.
struct QrFactors {
  Expr q, r;
};
QrFactors qr_factors(const Expr& a);

Expr matrix_exp(const Expr& a);

}  // namespace credo::graph
