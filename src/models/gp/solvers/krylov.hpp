// Solves and log determinants of large covariances K + s that are known by their products alone: conjugate gradients for many right-hand
// sides at once, a preconditioner by pivoted Cholesky, and Lanczos quadrature [gardner2018; golub2013, sections 10.1 and 11.3].
#pragma once
#include "models/gp/worker_team.hpp"
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::models {

using numerics::RowMatrix;

// A symmetric positive semi-definite matrix, N x N.
class KrylovMatrix {
 public:
  virtual ~KrylovMatrix() = default;
  virtual Index size() const = 0;
  virtual void multiply(const RowMatrix& v, RowMatrix& out) = 0;  // out = K v, N x C
  virtual std::vector<double> diagonal() = 0;
  virtual void row(Index i, std::span<double> out) = 0;
};

// sum_i a_ic b_ic for each column c. Pieces of 1,024 rows are added in order, so bits don't depend on the threads.
std::vector<double> column_products(WorkerTeam& team, const RowMatrix& a, const RowMatrix& b);

// P = L L' + s, with L, N x R, from the first R steps of Cholesky's algorithm on K with the largest pivots first [harbrecht2012].
class PivotedFactor {
 public:
  // Ends early where the largest pivot is below 1e-12 of the largest variance.
  PivotedFactor(KrylovMatrix& k, double s, Index rank, WorkerTeam& team);
  Index rank() const { return factor_.cols; }
  double log_determinant() const { return log_determinant_; }
  void solve(const RowMatrix& v, RowMatrix& out) const;  // out = P^-1 v
  // Columns with covariance P: L e + sqrt(s) e', from standard normal numbers e, R x C, and e', N x C.
  RowMatrix colour(const RowMatrix& low, const RowMatrix& rest) const;

 private:
  double s_;
  WorkerTeam& team_;
  RowMatrix factor_;  // L
  RowMatrix inner_;   // Cholesky factor of s + L'L
  double log_determinant_ = 0.0;
};

struct KrylovOptions {
  double tolerance = 1e-6;  // norm of the residual, relative to that of the right-hand side
  Index max_iterations = 1000;
};

struct KrylovSolution {
  RowMatrix x = {};                                        // N x C
  std::vector<Index> num_iterations = {};                  // by column
  std::vector<double> residual = {};                       // relative norms
  std::vector<std::vector<double>> alpha = {}, beta = {};  // coefficients of each column's steps
  bool has_converged = true;
  bool is_positive = true;  // false: a product p'(K + s)p wasn't positive
};
// (K + s) x = b by conjugate gradients with the preconditioner P. Columns leave as they converge.
KrylovSolution solve_krylov(KrylovMatrix& k, double s, const PivotedFactor& p, const RowMatrix& b,
                            const KrylovOptions& options, WorkerTeam& team);

// e_1' log(T) e_1 for the tridiagonal matrix T of conjugate gradients with these coefficients; NaN where T isn't positive.
double tridiagonal_log(std::span<const double> alpha, std::span<const double> beta);

}  // namespace credo::models
