// Options of the solvers of Gaussian processes.
#pragma once
#include "cli/options/arguments.hpp"
#include "models/gp/gp_solver_table.hpp"

namespace credo::cli {

struct GpSolverArguments {
  models::GpSolverOptions options = {};
  Index num_inducing = 0;  // 0: the solver's own number
  std::string inducing_by = "greedy";
  bool moves_inducing = false;

  void describe(Arguments& arguments);
  // Throws Error(usage) for an option that the solver or the method of outcomes `name` doesn't have.
  void require_for(std::string_view name) const;
  // The options with the seed, for any solver.
  models::GpSolverOptions all(std::uint64_t seed) const;
  // The same after require_for(row.name).
  models::GpSolverOptions chosen(const models::GpSolverRow& row, std::uint64_t seed) const;
};

// Values and help of --solver, --outcome, --family and --link.
std::vector<std::string> gp_solver_names();
std::string gp_solver_words();
std::vector<std::string> gp_outcome_names();
std::string gp_outcome_words();
std::vector<std::string> gp_family_names();
std::vector<std::string> gp_link_names();

}  // namespace credo::cli
