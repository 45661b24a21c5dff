#include "models/gp/inducing_points.hpp"

#include "base/error.hpp"
#include "base/rng.hpp"
#include "base/stop.hpp"
#include "base/stream.hpp"
#include "density/function_density.hpp"
#include "infer/optimise/mode.hpp"
#include "models/gp/outcomes/svgp.hpp"

namespace credo::models {
namespace {
constexpr std::uint32_t kCentres = stream("gp.centres");
constexpr Index kLloydSteps = 20;

// Inputs divided by their ranges, one row after another.
struct ScaledInputs {
  Index rows = 0, width = 0;
  std::vector<double> values;
  const double* at(Index i) const { return values.data() + i * width; }
};
double squared_gap(const double* a, const double* b, Index width) {
  double sum = 0.0;
  for (Index c = 0; c < width; ++c) sum += (a[c] - b[c]) * (a[c] - b[c]);
  return sum;
}

ScaledInputs scaled_inputs(const GpProblem& problem) {
  std::vector<std::vector<double>> columns = input_columns(problem);
  std::erase_if(columns, [](const std::vector<double>& x) { return x.empty(); });
  ScaledInputs made{.rows = problem.num_rows(), .width = ssize(columns), .values = {}};
  made.values.resize(static_cast<std::size_t>(made.rows * made.width));
  for (Index c = 0; c < made.width; ++c) {
    const std::vector<double>& x = columns[static_cast<std::size_t>(c)];
    const auto [low, high] = std::ranges::minmax(x);
    for (Index i = 0; i < made.rows; ++i)
      made.values[static_cast<std::size_t>(i * made.width + c)] =
          (x[static_cast<std::size_t>(i)] - low) / (high > low ? high - low : 1.0);
  }
  return made;
}

// Centres as rows: the next one with a probability in proportion to the squared distance to the nearest centre so far. Ends where all
// rows are centres.
std::vector<double> spread_centres(const ScaledInputs& x, Index count, Rng& rng) {
  std::vector<double> centres, nearest(static_cast<std::size_t>(x.rows), kInfinity);
  Index next = rng.index_below(x.rows);
  for (Index k = 0; k < count; ++k) {
    centres.insert(centres.end(), x.at(next), x.at(next) + x.width);
    double total = 0.0;
    for (Index i = 0; i < x.rows; ++i) {
      double& own = nearest[static_cast<std::size_t>(i)];
      own = std::min(own, squared_gap(x.at(i), x.at(next), x.width));
      total += own;
    }
    if (!(total > 0.0)) break;
    double left = rng.uniform() * total;
    next = 0;
    while (next + 1 < x.rows && left > nearest[static_cast<std::size_t>(next)])
      left -= nearest[static_cast<std::size_t>(next++)];
    while (nearest[static_cast<std::size_t>(next)] == 0.0) next = (next + 1) % x.rows;
  }
  return centres;
}

Index nearest_centre(const double* point, std::span<const double> centres, Index width) {
  Index best = 0;
  double least = kInfinity;
  for (Index k = 0; k < ssize(centres) / width; ++k)
    if (const double gap = squared_gap(point, centres.data() + k * width, width); gap < least)
      least = gap, best = k;
  return best;
}

// Each centre becomes the mean of the rows nearest to it.
bool take_lloyd_step(const ScaledInputs& x, std::vector<double>& centres) {
  std::vector<double> sums(centres.size(), 0.0),
      counts(centres.size() / static_cast<std::size_t>(x.width), 0.0);
  for (Index i = 0; i < x.rows; ++i) {
    const Index k = nearest_centre(x.at(i), centres, x.width);
    counts[static_cast<std::size_t>(k)] += 1.0;
    for (Index c = 0; c < x.width; ++c)
      sums[static_cast<std::size_t>(k * x.width + c)] += x.at(i)[c];
  }
  bool has_moved = false;
  for (std::size_t e = 0; e < sums.size(); ++e) {
    const double count = counts[e / static_cast<std::size_t>(x.width)];
    if (!(count > 0.0)) continue;
    has_moved = has_moved || centres[e] != sums[e] / count;
    centres[e] = sums[e] / count;
  }
  return has_moved;
}
}  // namespace

std::vector<std::vector<double>> input_columns(const GpProblem& problem) {
  std::vector<std::vector<double>> columns;
  for (const KernelNode* atom : problem.covariance.atoms()) {
    const std::vector<double>& x = problem.x.by_atom[static_cast<std::size_t>(atom->atom)];
    const auto d = static_cast<std::size_t>(atom->options.dimension);
    for (std::size_t c = 0; c < atom->columns.size() && atom->projection.empty(); ++c) {
      const auto column = static_cast<std::size_t>(atom->columns[c]);
      if (column >= columns.size()) columns.resize(column + 1);
      if (!columns[column].empty()) continue;
      for (std::size_t i = 0; i < static_cast<std::size_t>(problem.num_rows()); ++i)
        columns[column].push_back(x[i * d + c]);
    }
  }
  return columns;
}

std::vector<Index> kmeans_rows(const GpProblem& problem, Index count, std::uint64_t seed) {
  const ScaledInputs x = scaled_inputs(problem);
  if (x.width == 0)
    throw Error(ErrorCode::usage, "the kernels have no input of their own for k-means",
                "--inducing-by", "--inducing-by greedy or random");
  Rng rng({.seed = seed, .purpose = kCentres});
  std::vector<double> centres = spread_centres(x, std::min(count, x.rows), rng);
  for (Index step = 0; step < kLloydSteps && take_lloyd_step(x, centres); ++step) stop_if_asked();
  std::vector<Index> rows;
  std::vector<char> is_used(static_cast<std::size_t>(x.rows), 0);
  for (Index k = 0; k < ssize(centres) / x.width; ++k) {
    Index best = -1;
    double least = kInfinity;
    for (Index i = 0; i < x.rows; ++i) {
      if (is_used[static_cast<std::size_t>(i)] != 0) continue;
      const double gap = squared_gap(x.at(i), centres.data() + k * x.width, x.width);
      if (gap < least) least = gap, best = i;
    }
    if (best < 0) break;
    is_used[static_cast<std::size_t>(best)] = 1, rows.push_back(best);
  }
  std::ranges::sort(rows);
  return rows;
}

bool may_move_points(const GpProblem& problem, std::span<const Index> factor_inputs) {
  return may_move_inputs(problem.covariance, factor_inputs) &&
         std::ranges::all_of(problem.covariance.atoms(),
                             [](const KernelNode* atom) { return atom->projection.empty(); });
}

std::string_view inducing_words(InducingBy by) {
  return by == InducingBy::greedy   ? "each next one where the variance is largest"
         : by == InducingBy::kmeans ? "rows nearest to the centres of k-means"
                                    : "rows drawn at random";
}

std::vector<Index> inducing_rows(const GpProblem& problem, const GpSolverOptions& options) {
  switch (options.inducing_by) {
    case InducingBy::greedy:
      return greedy_rows(problem, options.num_inducing);
    case InducingBy::kmeans:
      return kmeans_rows(problem, options.num_inducing, options.seed);
    case InducingBy::random:
      return random_rows(problem.num_rows(), options.num_inducing, options.seed);
  }
  return {};
}

namespace {
// The unconstrained estimated hyperparameters, then the points' inputs divided by their ranges.
class MovingBound {
 public:
  MovingBound(const GpProblem& problem, InducingSolver& solver, std::span<const Index> rows)
      : problem_(problem), solver_(solver), estimated_(estimated_parameters(problem.covariance)) {
    for (const std::vector<double>& x : input_columns(problem)) {
      const auto [low, high] = std::ranges::minmax(x);
      ranges_.push_back(high > low ? high - low : 1.0);
      columns_.emplace_back();
      for (const Index row : rows) columns_.back().push_back(x[static_cast<std::size_t>(row)]);
    }
  }
  Index dimension() const { return ssize(estimated_) + ssize(columns_) * ssize(columns_.front()); }
  std::vector<double> start(std::span<const double> theta) const {
    std::vector<double> made;
    for (const Index p : estimated_)
      made.push_back(problem_.covariance.parameters()[static_cast<std::size_t>(p)].to_free(
          theta[static_cast<std::size_t>(p)]));
    for (std::size_t c = 0; c < columns_.size(); ++c)
      for (const double z : columns_[c]) made.push_back(z / ranges_[c]);
    return made;
  }
  std::vector<double> theta(std::span<const double> free) const {
    std::vector<double> made = centre_of(problem_.covariance);
    for (std::size_t k = 0; k < estimated_.size(); ++k) {
      const auto p = static_cast<std::size_t>(estimated_[k]);
      made[p] = problem_.covariance.parameters()[p].from_free(free[k]);
    }
    return made;
  }
  void place(std::span<const double> free) {
    std::size_t next = estimated_.size();
    for (std::size_t c = 0; c < columns_.size(); ++c)
      for (double& z : columns_[c]) z = free[next++] * ranges_[c];
    solver_.place_points(columns_);
  }
  double value(std::span<const double> free, std::span<double> gradient) {
    stop_if_asked();
    place(free);
    const std::vector<double> at = theta(free);
    numerics::DenseMatrix by_points(ssize(columns_.front()), ssize(columns_));
    const GpEvidence found = solver_.evidence_by_points(at, by_points);
    if (found.slopes.empty()) return -kInfinity;
    for (std::size_t k = 0; k < estimated_.size(); ++k) {
      const auto p = static_cast<std::size_t>(estimated_[k]);
      gradient[k] = found.slopes[p] * problem_.covariance.parameters()[p].slope(at[p]);
    }
    std::size_t next = estimated_.size();
    for (Index c = 0; c < by_points.cols; ++c)
      for (Index k = 0; k < by_points.rows; ++k)
        gradient[next++] = by_points(k, c) * ranges_[static_cast<std::size_t>(c)];
    return found.value;
  }
  const std::vector<std::vector<double>>& columns() const { return columns_; }

 private:
  const GpProblem& problem_;
  InducingSolver& solver_;
  std::vector<Index> estimated_;
  std::vector<double> ranges_;
  std::vector<std::vector<double>> columns_;
};
}  // namespace

MovedPoints move_inducing(const GpProblem& problem, InducingSolver& solver,
                          std::span<const Index> rows, const GpOptimum& from) {
  constexpr Index kMostSteps = 200;
  MovingBound bound(problem, solver, rows);
  const auto density = density::make_density(
      bound.dimension(), [&bound](std::span<const double> free, std::span<double> gradient) {
        return bound.value(free, gradient);
      });
  const std::vector<double> start = bound.start(from.theta);
  const auto mode = infer::find_mode_if_defined(
      *density, {.max_iterations = kMostSteps, .tolerance = 1e-5, .start = start});
  MovedPoints made{.optimum = from, .before = from.evidence};
  bound.place(mode ? mode->position : start);
  made.columns = bound.columns();
  if (!mode) return made;
  made.optimum.theta = bound.theta(mode->position);
  made.optimum.evidence = mode->log_density;
  made.optimum.has_converged = mode->converged;
  return made;
}

}  // namespace credo::models
