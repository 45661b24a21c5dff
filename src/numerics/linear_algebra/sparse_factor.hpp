// The factor P A P' = L D L' of a sparse symmetric matrix, L unit lower triangular, D diagonal, P a permutation that keeps L
// sparse (approximate minimum degree [amestoy1996]).
//
//   SparseFactor factor(matrix);                      // permutation and pattern of L, once for a pattern
//   if (auto failed = factor.refactor(matrix)) ...    // numbers, as often as they change; L keeps its memory
//
// With D > 0 (a positive definite A) C = P' L D^½ has C C' = A: the Cholesky factor. Functions below need a refactor without
// failure. One thread and plain arithmetic: the same bits on every CPU.
#pragma once
#include "numerics/linear_algebra/sparse.hpp"

namespace credo::numerics {

// Why a matrix wasn't factored.
struct FailedPivot {
  Index row = 0;       // a row of the matrix as given, from 0
  double value = 0.0;  // the pivot D
};

enum class Definiteness {
  positive,  // a pivot that isn't above 0 is a failure
  any  // only a pivot that is 0 or not finite is one. There is no pivoting for size: errors are those of quasi-definite
  // matrices, moderate if A is one (blocks [H B'; B -G] with H, G positive definite [vanderbei1995])
};

class SparseFactor {
 public:
  explicit SparseFactor(const SparseSymmetric& matrix);
  ~SparseFactor();
  SparseFactor(SparseFactor&&) noexcept;
  SparseFactor& operator=(SparseFactor&&) noexcept;

  // `matrix` has the pattern of the one that the constructor got. Empty if it is factored.
  [[nodiscard]] std::optional<FailedPivot> refactor(const SparseSymmetric& matrix,
                                                    Definiteness required = Definiteness::positive);

  Index size() const;
  Index num_values() const;        // elements of L below its diagonal
  double log_determinant() const;  // log |det A|
  Index num_negative() const;      // negative pivots: as many as A has negative eigenvalues

  // In place, `cols` right sides of size() numbers, one after another.
  void solve(std::span<double> b, Index cols = 1) const;  // A^-1 b
  // Only if A is positive definite.
  void half_solve(std::span<double> b, Index cols = 1) const;  // C^-1 b: |C^-1 b|^2 = b' A^-1 b
  void half_solve_transposed(
      std::span<double> b,
      Index cols = 1) const;  // C'^-1 b: has the distribution N(0, A^-1) if b has N(0, 1)

  // A^-1 at the places of A's pattern [takahashi1973; erisman1975]. Costs about as much as two factorisations.
  std::vector<double> inverse_on_pattern() const;
  // Derivatives of log |det A| by the values of A: elements of the inverse, those off the diagonal twice.
  std::vector<double> log_determinant_gradient() const;
  // Derivatives of x' A^-1 y by the values of A.
  std::vector<double> inverse_form_gradient(std::span<const double> x,
                                            std::span<const double> y) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace credo::numerics
