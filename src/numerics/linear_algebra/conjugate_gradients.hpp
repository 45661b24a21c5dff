// A x = b for a symmetric positive definite A that is known by its products, by conjugate gradients [hestenes1952; saad2003, alg. 9.1].
//
// It stops where the residual that the recursion carries has |b - A x| <= tolerance |b| (2-norm), after max_iterations, or at a
// direction p with p' A p <= 0: then A isn't positive definite. The residual that is reported is computed anew from x.
#pragma once
#include "numerics/linear_algebra/sparse.hpp"

namespace credo::numerics {

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
ConjugateGradientEnd conjugate_gradients(const LinearMap& a, std::span<const double> b,
                                         std::span<double> x,
                                         const ConjugateGradientOptions& options = {},
                                         const LinearMap& preconditioner = {});

// Preconditioners of a sparse matrix, by name.
struct Preconditioner {
  std::string_view name, summary, reference;
  // Empty if the matrix has no such map: a diagonal element that isn't positive, or an incomplete factor that breaks down.
  std::optional<LinearMap> (*make)(const SparseSymmetric& matrix);
};
std::span<const Preconditioner> preconditioners();

}  // namespace credo::numerics
