#include "cli/options/gp_solver_arguments.hpp"

#include <fmt/format.h>

namespace credo::cli {
namespace {
constexpr const char* kInducingSolvers = "sor, dtc, fitc and sgpr";

void require(bool holds, const char* option, const std::string& solvers, std::string_view row) {
  if (holds) return;
  throw Error(ErrorCode::usage,
              fmt::format("{} is an option of {}, and the solver is {}", option, solvers, row),
              option, fmt::format("leave {} out, or choose with --solver", option));
}
}  // namespace

void GpSolverArguments::describe(Arguments& a) {
  a.option("--inducing", options.num_inducing,
           "inducing points, or rows of a subset, of the solvers that have such",
           from_to(1, 20000));
  a.option(
      "--inducing-by", inducing_by,
      "selection of inducing points: greedy, where the variance is largest; kmeans, rows nearest "
      "to the centres of k-means++; random",
      one_of({"greedy", "kmeans", "random"}));
  a.flag("--move-inducing", moves_inducing,
         "move the inducing points of sgpr by the gradient of its bound");
  a.option("--tolerance", options.tolerance,
           "relative residual at which the conjugate gradients of cg and ski end",
           from_to(1e-14, 0.1));
  a.option("--probes", options.num_probes, "random vectors for the log determinant of cg and ski",
           from_to(2, 1000));
  a.option(
      "--grid", options.grid_points,
      "points of the grid of ski for each input; 0: 4096, 128 or 32 for one, two or three inputs",
      from_to(0, 1000000));
  a.option("--features", options.num_features,
           "features of features:random and features:hilbert, of all terms", from_to(2, 20000));
}

models::GpSolverOptions GpSolverArguments::chosen(const models::GpSolverRow& row,
                                                  std::uint64_t seed) const {
  const GpSolverArguments standard;
  const std::string_view name = row.name;
  require(inducing_by == standard.inducing_by || name == "sor" || name == "dtc" || name == "fitc" ||
              name == "sgpr",
          "--inducing-by", kInducingSolvers, name);
  require(!moves_inducing || name == "sgpr", "--move-inducing", "sgpr", name);
  const bool is_iterative = name == "cg" || name == "ski" || name == "skip";
  require(options.tolerance == standard.options.tolerance || is_iterative, "--tolerance",
          "cg and ski", name);
  require(options.num_probes == standard.options.num_probes || is_iterative, "--probes",
          "cg and ski", name);
  require(options.grid_points == 0 || name == "ski" || name == "skip", "--grid", "ski", name);
  if (options.grid_points > 0 && options.grid_points < 8)
    throw Error(ErrorCode::usage,
                fmt::format("a grid of {} points has no cubic interpolation", options.grid_points),
                "--grid", "at least 8 points");
  require(options.num_features == standard.options.num_features || name.starts_with("features:"),
          "--features", "features:random and features:hilbert", name);
  models::GpSolverOptions made = options;
  made.seed = seed;
  made.inducing_by = inducing_by == "kmeans"   ? models::InducingBy::kmeans
                     : inducing_by == "random" ? models::InducingBy::random
                                               : models::InducingBy::greedy;
  return made;
}

}  // namespace credo::cli
