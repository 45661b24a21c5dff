#include "models/gp/gp_solver_table.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "base/stream.hpp"
#include "models/gp/inducing_points.hpp"
#include "models/gp/solvers/features.hpp"
#include "models/gp/solvers/iterative.hpp"

namespace credo::models {
namespace {
constexpr std::uint32_t kSubset = stream("gp.subset");
constexpr Index kMostExact = 5000, kLeastForStates = 300;

constexpr Index kMostOnGrid = 100000, kMostByProducts = 20000;
constexpr Index kUsualSteps = 50;  // conjugate gradients

double rows_of(const GpProblem& p) { return static_cast<double>(p.num_rows()); }
// Two matrices: the factor, and the inverse while derivatives are computed.
GpCost exact_cost(const GpProblem& p, const GpSolverOptions&) {
  const double n = rows_of(p);
  return {.bytes = 16.0 * n * n, .operations = n * n * n};
}
// Orders of magnitude: each state is filtered with four derivatives at a time.
GpCost states_cost(const GpProblem& p, const GpSolverOptions&) {
  const double n = rows_of(p), s = 4.0 * static_cast<double>(p.covariance.atoms().size());
  return {.bytes = 8.0 * n * 4.0, .operations = 10.0 * n * s * s * s};
}
GpCost subset_cost(const GpProblem& p, const GpSolverOptions& o) {
  const double m = std::min(rows_of(p), static_cast<double>(o.num_inducing));
  return {.bytes = 16.0 * m * m, .operations = m * m * m};
}
GpCost inducing_cost(const GpProblem& p, const GpSolverOptions& o) {
  const double n = rows_of(p), m = std::min(n, static_cast<double>(o.num_inducing));
  return {.bytes = 24.0 * n * m, .operations = 4.0 * n * m * m};
}
// Right-hand sides: the outcome, the mean's columns and the probes. Elements are kept up to kMostKept of them.
GpCost cg_cost(const GpProblem& p, const GpSolverOptions& o) {
  const double n = rows_of(p), sides = static_cast<double>(1 + p.mean_columns.cols + o.num_probes),
               kept = 0.5 * n * n <= static_cast<double>(kMostKept) ? 4.0 * n * n : 0.0;
  return {.bytes = kept + 8.0 * n * (static_cast<double>(o.rank) + 20.0 * sides),
          .operations = static_cast<double>(kUsualSteps) * n * n * sides};
}
GpCost ski_cost(const GpProblem& p, const GpSolverOptions& o) {
  const double n = rows_of(p), sides = static_cast<double>(1 + p.mean_columns.cols + o.num_probes),
               rank = static_cast<double>(o.rank);
  return {.bytes = 8.0 * n * (rank + 10.0 * sides),
          .operations = n * rank * (rank + 2.0 * static_cast<double>(kUsualSteps) * sides)};
}
GpCost feature_cost(const GpProblem& p, const GpSolverOptions& o) {
  const double n = rows_of(p), m = static_cast<double>(o.num_features);
  return {.bytes = 16.0 * n * m, .operations = 2.0 * n * m * m};
}

std::string never(const GpProblem&) { return ""; }
std::string without_states(const GpProblem& p) { return why_no_states(p.covariance); }
std::string without_noise(const GpProblem& p) {
  const CovarianceParameter& noise = p.covariance.parameters()[static_cast<std::size_t>(p.noise)];
  return noise.is_fixed && !(noise.value > 0.0) ? "it needs noise" : "";
}
using Notes = std::vector<std::string>;

// A solver of part of the rows, with its problem.
class SubsetSolver final : public GpSolver {
 public:
  explicit SubsetSolver(GpProblem problem)
      : problem_(std::move(problem)), solver_(make_exact_solver(problem_)) {}
  GpEvidence evidence(std::span<const double> theta, bool with_slopes) override {
    return solver_->evidence(theta, with_slopes);
  }
  std::unique_ptr<GpPosterior> posterior(std::span<const double> theta) override {
    return solver_->posterior(theta);
  }

 private:
  GpProblem problem_;
  std::unique_ptr<GpSolver> solver_;
};

std::unique_ptr<GpSolver> exact(const GpProblem& p, const GpSolverOptions&, Notes&) {
  return make_exact_solver(p);
}
std::unique_ptr<GpSolver> states(const GpProblem& p, const GpSolverOptions&, Notes& notes) {
  if (states_are_approximate(p.covariance))
    notes.emplace_back(
        "Periodic kernels are approximated by 7 harmonics: short length scales lose detail.");
  return make_states_solver(p);
}
std::unique_ptr<GpSolver> subset(const GpProblem& p, const GpSolverOptions& o, Notes& notes) {
  const std::vector<Index> rows = random_rows(p.num_rows(), o.num_inducing, o.seed);
  notes.push_back(
      fmt::format("{} of {} rows, drawn at random, are used; the evidence is that of these rows.",
                  rows.size(), p.num_rows()));
  return std::make_unique<SubsetSolver>(subset_of(p, rows));
}
std::unique_ptr<GpSolver> ivm(const GpProblem& p, const GpSolverOptions& o, Notes& notes) {
  const std::vector<Index> rows = greedy_rows(p, o.num_inducing);
  notes.push_back(
      fmt::format("{} of {} rows are used, each next one that of the largest variance given those "
                  "before; the evidence is that of these rows.",
                  rows.size(), p.num_rows()));
  return std::make_unique<SubsetSolver>(subset_of(p, rows));
}
template <LowRank kKind>
std::unique_ptr<GpSolver> inducing(const GpProblem& p, const GpSolverOptions& o, Notes& notes) {
  std::vector<Index> rows = inducing_rows(p, o);
  if (ssize(rows) < std::min(o.num_inducing, p.num_rows()))
    notes.push_back(
        fmt::format("{} inducing points are enough{}: others add no variance.", rows.size(),
                    o.inducing_by == InducingBy::greedy ? " at the prior's length scales" : ""));
  notes.push_back(fmt::format(
      "An approximation by {} inducing points, {}; {:.0e} of their variance is added to it.",
      rows.size(), inducing_words(o.inducing_by), kInducingJitter));
  if (kKind == LowRank::sor)
    notes.emplace_back(
        "Far from the inducing points its variance falls to 0: dtc, fitc and sgpr don't have this "
        "fault.");
  return make_low_rank_solver(p, kKind, std::move(rows));
}
std::unique_ptr<GpSolver> nystrom(const GpProblem& p, const GpSolverOptions& o, Notes& notes) {
  std::vector<Index> rows = random_rows(p.num_rows(), o.num_inducing, o.seed);
  notes.push_back(
      fmt::format("The covariance is that of {} random rows, extended to all; {:.0e} of their "
                  "variance is added to it.",
                  rows.size(), kInducingJitter));
  return make_low_rank_solver(p, LowRank::sor, std::move(rows));
}
std::string without_noise_or_grid(const GpProblem& p) {
  const std::string reason = without_noise(p);
  return reason.empty() ? why_no_grid(p) : reason;
}
std::unique_ptr<GpSolver> cg(const GpProblem& p, const GpSolverOptions& o, Notes&) {
  return make_iterative_solver(p, make_dense_operator(p), o);
}
std::unique_ptr<GpSolver> ski(const GpProblem& p, const GpSolverOptions& o, Notes& notes) {
  constexpr std::array<Index, 3> kPoints{4096, 128, 32};
  const Index num = num_grid_inputs(p);
  const Index points =
      o.grid_points > 0 ? o.grid_points : kPoints[static_cast<std::size_t>(num - 1)];
  notes.push_back(fmt::format("The function is interpolated from a grid of {} points{}.", points,
                              num > 1 ? fmt::format(" for each of {} inputs", num) : ""));
  return make_iterative_solver(p, make_grid_operator(p, points), o);
}
std::string without_random_features(const GpProblem& p) {
  const std::string reason = without_noise(p);
  return reason.empty() ? why_no_random_features(p) : reason;
}
std::string without_hilbert_features(const GpProblem& p) {
  const std::string reason = without_noise(p);
  return reason.empty() ? why_no_hilbert_features(p) : reason;
}
std::unique_ptr<GpSolver> random_features(const GpProblem& p, const GpSolverOptions& o, Notes&) {
  return make_feature_solver(p, make_random_features(p, o.num_features, o.seed));
}
std::unique_ptr<GpSolver> hilbert_features(const GpProblem& p, const GpSolverOptions& o, Notes&) {
  return make_feature_solver(p, make_hilbert_features(p, o.num_features));
}
}  // namespace

std::span<const GpSolverRow> gp_solver_rows() {
  static constexpr std::array<GpSolverRow, 13> kRows{{
      {"exact", "dense Cholesky factor, N^3", never, exact, exact_cost, true},
      {"states", "Kalman filter of the kernel's states, one input, N", without_states, states,
       states_cost, true},
      {"subset", "exact, on rows drawn at random", never, subset, subset_cost},
      {"ivm", "exact, on rows of largest variance given those before", never, ivm, subset_cost},
      {"nystrom", "covariance extended from rows drawn at random, N M^2", without_noise, nystrom,
       inducing_cost},
      {"sor", "function of the values at inducing points", without_noise, inducing<LowRank::sor>,
       inducing_cost},
      {"dtc", "the same, with exact variances at new points", without_noise, inducing<LowRank::dtc>,
       inducing_cost},
      {"fitc", "dtc with exact variances at the rows", without_noise, inducing<LowRank::fitc>,
       inducing_cost},
      {"sgpr", "variational: a lower bound of the evidence", without_noise, inducing<LowRank::sgpr>,
       inducing_cost},
      {"cg", "exact to a tolerance, by conjugate gradients: N^2 for each step, no matrix",
       without_noise, cg, cg_cost, true, 1000},
      {"ski", "interpolated from a grid of one to three inputs, by conjugate gradients",
       without_noise_or_grid, ski, ski_cost, false, 1000},
      {"features:random", "a linear model of waves with random frequencies, N M^2",
       without_random_features, random_features, feature_cost},
      {"features:hilbert", "a linear model of sines on a box, N M^2", without_hilbert_features,
       hilbert_features, feature_cost},
  }};
  return kRows;
}

const GpSolverRow& find_gp_solver(std::string_view name) {
  const auto found = std::ranges::find(gp_solver_rows(), name, &GpSolverRow::name);
  CREDO_ASSERT(found != gp_solver_rows().end(), "a solver of the table");
  return *found;
}

const GpSolverRow& exact_gp_solver() { return gp_solver_rows().front(); }

const GpSolverRow& choose_gp_solver(const GpProblem& problem) {
  if (problem.num_rows() > kLeastForStates && why_no_states(problem.covariance).empty() &&
      !states_are_approximate(problem.covariance))
    return find_gp_solver("states");
  const Index n = problem.num_rows();
  if (n <= kMostExact) return find_gp_solver("exact");
  if (const std::string reason = without_noise(problem); !reason.empty())
    throw Error(ErrorCode::usage,
                fmt::format("{}, and solvers for more rows need noise",
                            cost_words(problem, exact_cost(problem, {}))),
                "--solver", "--noise auto; --solver exact does it all the same");
  if (n <= kMostOnGrid && why_no_grid(problem).empty()) return find_gp_solver("ski");
  return find_gp_solver(n <= kMostByProducts ? "cg" : "sgpr");
}

std::string cost_words(const GpProblem& problem, const GpCost& cost) {
  return fmt::format("{} rows: {:.2g} GB of memory and {:.1e} operations for each evidence",
                     problem.num_rows(), 1e-9 * cost.bytes, cost.operations);
}

std::vector<Index> random_rows(Index num_rows, Index count, std::uint64_t seed) {
  std::vector<Index> rows(static_cast<std::size_t>(num_rows));
  std::iota(rows.begin(), rows.end(), Index{0});
  Rng rng({.seed = seed, .purpose = kSubset});
  const Index kept = std::min(count, num_rows);
  for (Index k = 0; k < kept; ++k)
    std::swap(rows[static_cast<std::size_t>(k)],
              rows[static_cast<std::size_t>(k + rng.index_below(num_rows - k))]);
  rows.resize(static_cast<std::size_t>(kept));
  std::ranges::sort(rows);
  return rows;
}

CovariancePoints points_of_rows(const Covariance& covariance, const CovariancePoints& all,
                                std::span<const Index> rows) {
  CovariancePoints made{.count = ssize(rows), .by_atom = {}};
  for (const KernelNode* atom : covariance.atoms()) {
    const Index d = atom->options.dimension;
    std::vector<double> x;
    for (const Index row : rows) {
      const double* from = all.by_atom[static_cast<std::size_t>(atom->atom)].data() + row * d;
      x.insert(x.end(), from, from + d);
    }
    made.by_atom.push_back(std::move(x));
  }
  return made;
}

GpProblem subset_of(const GpProblem& problem, std::span<const Index> rows) {
  GpProblem made{
      .covariance = problem.covariance, .noise = problem.noise, .num_threads = problem.num_threads};
  made.x = points_of_rows(problem.covariance, problem.x, rows);
  made.mean_columns = numerics::DenseMatrix(ssize(rows), problem.mean_columns.cols);
  for (Index i = 0; i < ssize(rows); ++i) {
    const Index row = rows[static_cast<std::size_t>(i)];
    made.y.push_back(problem.y[static_cast<std::size_t>(row)]);
    for (Index c = 0; c < problem.mean_columns.cols; ++c)
      made.mean_columns(i, c) = problem.mean_columns(row, c);
  }
  return made;
}

}  // namespace credo::models
