#include "models/gp/gp_solver_table.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "base/stream.hpp"

namespace credo::models {
namespace {
constexpr std::uint32_t kSubset = stream("gp.subset");
constexpr Index kMostExact = 5000, kLeastForStates = 300;

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
  std::vector<Index> rows = greedy_rows(p, o.num_inducing);
  if (ssize(rows) < std::min(o.num_inducing, p.num_rows()))
    notes.push_back(fmt::format(
        "{} inducing points are enough at the prior's length scales: others add no variance.",
        rows.size()));
  notes.push_back(fmt::format(
      "An approximation by {} inducing points; {:.0e} of their variance is added to it.",
      rows.size(), kInducingJitter));
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
}  // namespace

std::span<const GpSolverRow> gp_solver_rows() {
  static constexpr std::array<GpSolverRow, 9> kRows{{
      {"exact", "dense Cholesky factor, N^3", never, exact, true},
      {"states", "Kalman filter of the kernel's states, one input, N", without_states, states,
       true},
      {"subset", "exact, on rows drawn at random", never, subset},
      {"ivm", "exact, on rows of largest variance given those before", never, ivm},
      {"nystrom", "covariance extended from rows drawn at random, N M^2", without_noise, nystrom},
      {"sor", "function of the values at inducing points", without_noise, inducing<LowRank::sor>},
      {"dtc", "the same, with exact variances at new points", without_noise,
       inducing<LowRank::dtc>},
      {"fitc", "dtc with exact variances at the rows", without_noise, inducing<LowRank::fitc>},
      {"sgpr", "variational: a lower bound of the evidence", without_noise,
       inducing<LowRank::sgpr>},
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
  if (problem.num_rows() > kMostExact)
    throw Error(
        ErrorCode::usage,
        fmt::format("{} rows take {:.1f} GB and long for a dense factor", problem.num_rows(),
                    16e-9 * std::pow(static_cast<double>(problem.num_rows()), 2)),
        "--solver",
        "--solver sgpr --inducing 500 approximates; --solver exact does it all the same");
  return find_gp_solver("exact");
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
