// Options of the solvers of Gaussian processes.
#pragma once
#include "cli/options/arguments.hpp"
#include "models/gp/gp_solver_table.hpp"

namespace credo::cli {

struct GpSolverArguments {
  models::GpSolverOptions options = {};
  std::string inducing_by = "greedy";
  bool moves_inducing = false;

  void describe(Arguments& arguments);
  // The options with the seed. Throws Error(usage) for an option that the solver `row` doesn't have.
  models::GpSolverOptions chosen(const models::GpSolverRow& row, std::uint64_t seed) const;
};

}  // namespace credo::cli
