#include "cli/options/gp_solver_arguments.hpp"

#include <fmt/format.h>

#include "models/gp/outcomes/gp_outcome.hpp"

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
  a.option(
      "--inducing", num_inducing,
      "inducing points, or rows of a subset, of the solvers that have such; 0: 100, and 200 for "
      "svgp",
      from_to(0, 20000));
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

void GpSolverArguments::require_for(std::string_view name) const {
  const GpSolverArguments standard;
  static constexpr std::array kWithPoints{"subset", "ivm",  "nystrom", "sor",
                                          "dtc",    "fitc", "sgpr",    "svgp"};
  require(num_inducing == 0 || std::ranges::find(kWithPoints, name) != kWithPoints.end(),
          "--inducing", "subset, ivm, nystrom, sor, dtc, fitc, sgpr and svgp", name);
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
  require(options.num_features == standard.options.num_features || name.starts_with("features:"),
          "--features", "features:random and features:hilbert", name);
}

models::GpSolverOptions GpSolverArguments::chosen(const models::GpSolverRow& row,
                                                  std::uint64_t seed) const {
  require_for(row.name);
  return all(seed);
}

models::GpSolverOptions GpSolverArguments::all(std::uint64_t seed) const {
  if (options.grid_points > 0 && options.grid_points < 8)
    throw Error(ErrorCode::usage,
                fmt::format("a grid of {} points has no cubic interpolation", options.grid_points),
                "--grid", "at least 8 points");
  models::GpSolverOptions made = options;
  made.seed = seed;
  if (num_inducing > 0) made.num_inducing = num_inducing;
  made.inducing_by = inducing_by == "kmeans"   ? models::InducingBy::kmeans
                     : inducing_by == "random" ? models::InducingBy::random
                                               : models::InducingBy::greedy;
  return made;
}

std::vector<std::string> gp_solver_names() {
  std::vector<std::string> names{"auto"};
  for (const models::GpSolverRow& row : models::gp_solver_rows()) names.emplace_back(row.name);
  names.emplace_back("svgp");
  return names;
}
std::string gp_solver_words() {
  std::string words =
      "auto: states where the kernels have them and there are many rows, exact up to 5000 rows, "
      "then "
      "ski, cg or sgpr";
  for (const models::GpSolverRow& row : models::gp_solver_rows())
    words += fmt::format("; {}: {}", row.name, row.summary);
  return words +
         "; svgp: variational, on batches of the rows, for outcomes of any family but "
         "categorical";
}
std::string gp_outcome_words() {
  std::string words = "outcomes that aren't normal: ep for bernoulli and binomial, else laplace";
  for (const models::OutcomeMethodRow& row : models::outcome_method_rows())
    words += fmt::format("; {}: {}", row.name, row.summary);
  return words;
}
std::vector<std::string> gp_outcome_names() {
  std::vector<std::string> names{"auto"};
  for (const models::OutcomeMethodRow& row : models::outcome_method_rows())
    names.emplace_back(row.name);
  return names;
}
std::vector<std::string> gp_family_names() {
  std::vector<std::string> names;
  for (const models::OutcomeFamily* row : models::outcome_families())
    if (names.empty() || names.back() != row->name) names.emplace_back(row->name);
  return names;
}

std::vector<std::string> gp_link_names() {
  std::vector<std::string> names{"auto"};
  for (const models::OutcomeFamily* row : models::outcome_families())
    if (std::ranges::find(names, row->link) == names.end()) names.emplace_back(row->link);
  return names;
}

}  // namespace credo::cli
