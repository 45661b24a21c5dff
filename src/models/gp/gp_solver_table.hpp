// Solvers of a Gaussian process: a table.
#pragma once
#include "models/gp/gp_problem.hpp"

namespace credo::models {

enum class InducingBy { greedy, kmeans, random };

struct GpSolverOptions {
  Index num_inducing = 100;  // points, or rows of a subset
  InducingBy inducing_by = InducingBy::greedy;
  std::uint64_t seed = 1;
  // Solvers by products: relative residuals, probes of the log determinant, rank of the preconditioner, steps at most.
  double tolerance = 1e-6;
  Index num_probes = 10, rank = 100, max_iterations = 1000;
  Index grid_points = 0;     // points of the grid for each input; 0: by the number of inputs
  Index num_features = 500;  // of all terms
};

// Memory and work for one evidence with derivatives; operations are multiplications with additions, to a factor of about 2.
struct GpCost {
  double bytes = 0.0, operations = 0.0;
};

struct GpSolverRow {
  std::string_view name, summary;
  // Why the problem can't be solved this way; empty: it can.
  std::string (*refusal)(const GpProblem&) = nullptr;
  // Notes that the solver has to say are added as sentences.
  std::unique_ptr<GpSolver> (*make)(const GpProblem&, const GpSolverOptions&,
                                    std::vector<std::string>& notes) = nullptr;
  GpCost (*cost)(const GpProblem&, const GpSolverOptions&) = nullptr;
  bool is_exact = false;
  // The function at the rows is computed for up to so many: variances of others are solves of their own.
  Index most_fitted = 5000;
};
std::span<const GpSolverRow> gp_solver_rows();
const GpSolverRow& find_gp_solver(std::string_view name);
const GpSolverRow& exact_gp_solver();  // the dense one, which answers everything
// For --solver auto: states for more than 300 rows with such; the dense factor up to 5,000 rows; a grid up to 100,000 rows with one to
// three inputs; conjugate gradients up to 20,000 rows; else sgpr. Throws Error(usage) if there are many rows and no noise.
const GpSolverRow& choose_gp_solver(const GpProblem& problem);

// "5,000 rows: 0.4 GB of memory and 2.5e11 operations for each evidence"
std::string cost_words(const GpProblem& problem, const GpCost& cost);

// ---- solvers with few points (models/gp/solvers/low_rank.cpp)

// Rows whose inputs are chosen: each next one has the largest variance given those before, at the centre of the parameters
// [lawrence2003; fine2001]. Ends early where no variance is left.
std::vector<Index> greedy_rows(const GpProblem& problem, Index count);
std::vector<Index> random_rows(Index num_rows, Index count, std::uint64_t seed);
GpProblem subset_of(const GpProblem& problem, std::span<const Index> rows);
CovariancePoints points_of_rows(const Covariance& covariance, const CovariancePoints& all,
                                std::span<const Index> rows);

enum class LowRank { sor, dtc, fitc, sgpr };
// A solver whose inducing points, rows at first, can be placed anywhere.
class InducingSolver : public GpSolver {
 public:
  virtual void place_points(
      std::span<const std::vector<double>> columns) = 0;  // inputs, M numbers each
  // Also derivatives by the inputs of the points, M x inputs. The jitter of the points' variance isn't differentiated.
  virtual GpEvidence evidence_by_points(std::span<const double> theta,
                                        numerics::DenseMatrix& by_points) = 0;
};
std::unique_ptr<InducingSolver> make_low_rank_solver(const GpProblem& problem, LowRank kind,
                                                     std::vector<Index> inducing);
constexpr double kInducingJitter =
    1e-9;  // share of their mean variance that is added to that of the inducing values

}  // namespace credo::models
