// Gaussian processes by products with their covariance: `cg`, `ski` and `skip` are this solver with three covariances.
#pragma once
#include "models/gp/gp_problem.hpp"
#include "models/gp/gp_solver_table.hpp"
#include "models/gp/solvers/krylov.hpp"

namespace credo::models {

// The covariance of the rows' function values at a theta, without noise.
class GpOperator : public KrylovMatrix {
 public:
  virtual void set(std::span<const double> theta) = 0;
  // Adds sum_c left_c' (dK / dtheta) right_c to `gradient`.
  virtual void add_slopes(const RowMatrix& left, const RowMatrix& right,
                          std::span<double> gradient) = 0;
  // Covariances of the rows' values with those of a node's function at points first, ..., first + count - 1: N x count.
  virtual RowMatrix cross(const KernelNode& node, const CovariancePoints& at, Index first,
                          Index count) = 0;
  // Covariances of the rows' values with the derivative of the function by an input at one point: N x 1.
  virtual RowMatrix slope_cross(const CovariancePoints& at, Index point, Index column) = 0;
  // Sentences on the error of the covariance at theta.
  virtual std::vector<std::string> remarks() { return {}; }
};

// Evidence: quadratic forms by conjugate gradients; the log determinant is that of the preconditioner and a mean over probes; derivatives use
// the same probes. The posterior's variances are solves to the same tolerance.
std::unique_ptr<GpSolver> make_iterative_solver(const GpProblem& problem,
                                                std::unique_ptr<GpOperator> covariance,
                                                const GpSolverOptions& options);

// The covariance element by element, in blocks of rows. Kept in memory up to kMostKept elements, else computed anew for each product.
std::unique_ptr<GpOperator> make_dense_operator(const GpProblem& problem);
constexpr Index kMostKept = Index{1} << 27;  // 1 GiB

// W K_UU W': the covariance at a regular grid U of `points` for each input, and cubic weights W [wilson2015; keys1981].
std::unique_ptr<GpOperator> make_grid_operator(const GpProblem& problem, Index points);
// Why the covariance has no grid; empty: it has.
std::string why_no_grid(const GpProblem& problem);
Index num_grid_inputs(const GpProblem& problem);

}  // namespace credo::models
