#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>

#include "base/std.hpp"
#include "credo/sparse.hpp"

namespace credo::numerics {
namespace {
using LowerMatrix = Eigen::SparseMatrix<double, Eigen::ColMajor, Index>;
using Incomplete = Eigen::IncompleteCholesky<double, Eigen::Lower, Eigen::NaturalOrdering<Index>>;

std::optional<LinearMap> identity(const SparseSymmetric&) { return LinearMap(); }

std::optional<LinearMap> jacobi(const SparseSymmetric& matrix) {
  std::vector<double> inverse;
  for (Index j = 0; j < matrix.size(); ++j) {
    inverse.push_back(1.0 / matrix(j, j));
    if (!(matrix(j, j) > 0.0)) return std::nullopt;
  }
  return [inverse = std::move(inverse)](std::span<const double> x, std::span<double> out) {
    for (std::size_t i = 0; i < x.size(); ++i) out[i] = inverse[i] * x[i];
  };
}

// Factor on the pattern of the matrix, whose rows and columns are scaled; a negative diagonal is raised, ten times at most.
std::optional<LinearMap> incomplete_cholesky(const SparseSymmetric& matrix) {
  if (!jacobi(matrix)) return std::nullopt;
  const SparsePattern& pattern = matrix.pattern();
  const LowerMatrix lower = Eigen::Map<const LowerMatrix>(
      pattern.size, pattern.size, pattern.num_values(), pattern.starts.data(), pattern.rows.data(),
      matrix.values().data());
  const auto factor = std::make_shared<Incomplete>();
  factor->compute(lower);
  if (factor->info() != Eigen::Success) return std::nullopt;
  return [factor](std::span<const double> x, std::span<double> out) {
    const auto size = static_cast<Index>(x.size());
    Eigen::Map<Eigen::VectorXd>(out.data(), size) =
        factor->solve(Eigen::Map<const Eigen::VectorXd>(x.data(), size));
  };
}

constexpr std::array<Preconditioner, 3> kPreconditioners{{
    {"none", "no preconditioner", "hestenes1952", identity},
    {"jacobi", "the inverse of the diagonal", "saad2003", jacobi},
    {"incomplete_cholesky", "a Cholesky factor on the pattern of the matrix", "lin1999",
     incomplete_cholesky},
}};
}  // namespace

std::span<const Preconditioner> preconditioners() { return kPreconditioners; }

}  // namespace credo::numerics
