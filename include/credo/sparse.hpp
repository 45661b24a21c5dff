// Sparse symmetric matrices: factors with their log determinant, solves, elements of the inverse and derivatives, and conjugate gradients.
//
//   using namespace credo::numerics;
//   const SparseSymmetric matrix(3, std::vector<SparseElement>{{0, 0, 2}, {1, 1, 2}, {2, 2, 2}, {1, 0, -1}, {2, 1, -1}});
//   SparseFactor factor(matrix);                      // permutation and pattern of L, once for a pattern
//   if (auto failed = factor.refactor(matrix)) ...    // numbers, as often as they change; L keeps its memory
//   factor.log_determinant();
//
// The lower triangle is stored column by column, rows ascending; each column has its diagonal element, zero or not. One value
// stands for A(i, j) and A(j, i), so the derivative by an off-diagonal value counts both. Rows and columns are counted from 0. Functions
// throw Error(usage) for vectors whose sizes don't fit.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "credo/export.hpp"

namespace credo {
using Index = std::ptrdiff_t;
}

namespace credo::numerics {

struct CREDO_API SparsePattern {
  Index size = 0;
  std::vector<Index> starts = {
      0};  // column j: places starts[j], ..., starts[j + 1] - 1; the first is the diagonal
  std::vector<Index> rows = {};

  Index num_values() const { return static_cast<Index>(rows.size()); }
  // The place of A(row, col), which is that of A(col, row); -1 if the pattern lacks it. Costs the log of the column's length.
  Index place(Index row, Index col) const;
};

struct SparseElement {
  Index row = 0, col = 0;
  double value = 0.0;
};

class CREDO_API SparseSymmetric {
 public:
  SparseSymmetric() = default;
  // Each element stands for both halves, also if it names the upper one; values of the same place are added. Throws
  // Error(usage) for rows and columns outside of [0, size).
  SparseSymmetric(Index size, std::span<const SparseElement> elements);

  Index size() const { return pattern_->size; }
  const SparsePattern& pattern() const { return *pattern_; }
  std::shared_ptr<const SparsePattern> shared_pattern() const { return pattern_; }
  std::span<double> values() { return values_; }
  std::span<const double> values() const { return values_; }
  double operator()(Index row, Index col) const;  // 0 outside of the pattern

  void multiply(std::span<const double> x, std::span<double> out) const;  // out = A x; out isn't x

 private:
  std::shared_ptr<const SparsePattern> pattern_ = std::make_shared<SparsePattern>();
  std::vector<double> values_ = {};
};

// Derivatives of x' A y by the values of A.
CREDO_API std::vector<double> bilinear_gradient(const SparsePattern& pattern,
                                                std::span<const double> x,
                                                std::span<const double> y);

// ---- factors
//
// The factor P A P' = L D L' of a sparse symmetric matrix, L unit lower triangular, D diagonal, P a permutation that keeps L
// sparse (approximate minimum degree [amestoy1996]).
//
// With D > 0 (a positive definite A) C = P' L D^½ has C C' = A: the Cholesky factor. Functions below need a refactor without
// failure. One thread and plain arithmetic: the same bits on every CPU.

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

// Working memory of one thread. Functions that take it allocate nothing once it has grown.
class CREDO_API SparseWorkspace {
 public:
  SparseWorkspace();
  ~SparseWorkspace();
  SparseWorkspace(SparseWorkspace&&) noexcept;
  SparseWorkspace& operator=(SparseWorkspace&&) noexcept;

 private:
  friend class SparseFactor;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

class CREDO_API SparseFactor {
 public:
  explicit SparseFactor(const SparseSymmetric& matrix);
  ~SparseFactor();
  SparseFactor(SparseFactor&&) noexcept;
  SparseFactor& operator=(SparseFactor&&) noexcept;

  // `matrix` has the pattern of the one that the constructor got, or Error(usage) is thrown. Empty if it is factored.
  [[nodiscard]] std::optional<FailedPivot> refactor(const SparseSymmetric& matrix,
                                                    Definiteness required = Definiteness::positive);

  Index size() const;
  Index num_values() const;        // elements of L below its diagonal
  double log_determinant() const;  // log |det A|
  Index num_negative() const;      // negative pivots: as many as A has negative eigenvalues

  // In place, `cols` right sides of size() numbers, one after another.
  void solve(std::span<double> b, Index cols = 1) const;  // A^-1 b
  void solve(std::span<double> b, SparseWorkspace& workspace) const;
  // Only if A is positive definite.
  void half_solve(std::span<double> b, Index cols = 1) const;  // C^-1 b: |C^-1 b|^2 = b' A^-1 b
  void half_solve_transposed(
      std::span<double> b,
      Index cols = 1) const;  // C'^-1 b: has the distribution N(0, A^-1) if b has N(0, 1)

  // A^-1 at the places of A's pattern [takahashi1973; erisman1975]. Costs about as much as two factorisations.
  std::vector<double> inverse_on_pattern() const;
  // Derivatives of log |det A| by the values of A: elements of the inverse, those off the diagonal twice.
  std::vector<double> log_determinant_gradient() const;
  void log_determinant_gradient(std::span<double> into, SparseWorkspace& workspace) const;
  // Derivatives of x' A^-1 y by the values of A.
  std::vector<double> inverse_form_gradient(std::span<const double> x,
                                            std::span<const double> y) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// ---- conjugate gradients
//
// A x = b for a symmetric positive definite A that is known by its products, by conjugate gradients [hestenes1952; saad2003, alg. 9.1].
//
// It stops where the residual that the recursion carries has |b - A x| <= tolerance |b| (2-norm), after max_iterations, or at a
// direction p with p' A p <= 0: then A isn't positive definite. The residual that is reported is computed anew from x.

// out = A x, for out other than x.
using LinearMap = std::function<void(std::span<const double> x, std::span<double> out)>;

struct ConjugateGradientOptions {
  double tolerance = 1e-10;  // relative to |b|, > 0
  Index max_iterations = 1000;
};

struct ConjugateGradientEnd {
  enum class Reason { converged, max_iterations, not_positive };
  Reason reason = Reason::converged;
  Index num_iterations = 0;
  double residual = 0.0;  // |b - A x| / |b|; 0 for b = 0
};

// x: the start, then the solution. `preconditioner`: a symmetric positive definite map near A^-1; none: the identity.
CREDO_API ConjugateGradientEnd conjugate_gradients(const LinearMap& a, std::span<const double> b,
                                                   std::span<double> x,
                                                   const ConjugateGradientOptions& options = {},
                                                   const LinearMap& preconditioner = {});

// Preconditioners of a sparse matrix, by name.
struct Preconditioner {
  std::string_view name, summary, reference;
  // Empty if the matrix has no such map: a diagonal element that isn't positive, or an incomplete factor that breaks down.
  std::optional<LinearMap> (*make)(const SparseSymmetric& matrix);
};
CREDO_API std::span<const Preconditioner> preconditioners();

}  // namespace credo::numerics
