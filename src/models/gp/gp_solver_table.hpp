// Solvers of a Gaussian process: a table.
#pragma once
#include "models/gp/gp_problem.hpp"

namespace credo::models {

struct GpSolverOptions {
  Index num_inducing = 100;  // points, or rows of a subset
  std::uint64_t seed = 1;
};

struct GpSolverRow {
  std::string_view name, summary;
  // Why the problem can't be solved this way; empty: it can.
  std::string (*refusal)(const GpProblem&) = nullptr;
  // Notes that the solver has to say are added as sentences.
  std::unique_ptr<GpSolver> (*make)(const GpProblem&, const GpSolverOptions&,
                                    std::vector<std::string>& notes) = nullptr;
  bool is_exact = false;
};
std::span<const GpSolverRow> gp_solver_rows();
const GpSolverRow& find_gp_solver(std::string_view name);
const GpSolverRow& exact_gp_solver();  // the dense one, which answers everything
// For --solver auto. Throws Error(usage) where no exact solver is cheap enough.
const GpSolverRow& choose_gp_solver(const GpProblem& problem);

// ---- solvers with few points (models/gp/solvers/low_rank.cpp)

// Rows whose inputs are chosen: each next one has the largest variance given those before, at the centre of the parameters
// [lawrence2003; fine2001]. Ends early where no variance is left.
std::vector<Index> greedy_rows(const GpProblem& problem, Index count);
std::vector<Index> random_rows(Index num_rows, Index count, std::uint64_t seed);
GpProblem subset_of(const GpProblem& problem, std::span<const Index> rows);
CovariancePoints points_of_rows(const Covariance& covariance, const CovariancePoints& all,
                                std::span<const Index> rows);

enum class LowRank { sor, dtc, fitc, sgpr };
std::unique_ptr<GpSolver> make_low_rank_solver(const GpProblem& problem, LowRank kind,
                                               std::vector<Index> inducing);
constexpr double kInducingJitter =
    1e-9;  // share of their mean variance that is added to that of the inducing values

}  // namespace credo::models
