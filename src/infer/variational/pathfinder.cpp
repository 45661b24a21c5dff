// Pathfinder [zhang2022]: along climbs by L-BFGS each iterate x has a normal distribution N(x + H g, H), H the inverse curvature
// that the last pairs of moves know. The one with the highest bound is kept of each path, and draws come from their mixture:
//
//   log weight = log p(x) - log (1/K) Σ_k q_k(x)
//
// The paper weighs each draw by its own path alone. Against the mixture weights stay bounded where paths overlap.
#include <fmt/format.h>

#include "base/stop.hpp"
#include "infer/core/chain.hpp"
#include "infer/core/fit_stages.hpp"
#include "infer/core/vectors.hpp"
#include "infer/optimise/climb.hpp"
#include "infer/optimise/starts.hpp"
#include "infer/variational/approximation.hpp"

namespace credo::infer {
namespace {
constexpr Index kMostPathValues = 500;  // each iterate has a covariance, and its factor
constexpr double kHalfLogTwoPiOfPaths = 0.91893853320467274178;
constexpr std::uint32_t kPathStream = 1'000'003;  // no chain of a run

struct PathfinderOptions {
  Index num_paths = 8, history = 6, elbo_draws = 10, max_iterations = 1000;

  static void describe(auto& self, auto&& field) {
    field(self.num_paths, FieldSpec{.name = "num_paths",
                                    .help = "climbs, each from a draw of the prior",
                                    .range = {.lo = 1.0, .hi = 1e4}});
    field(self.history, kHistoryField);
    field(self.elbo_draws, FieldSpec{.name = "elbo_draws",
                                     .help = "draws of the bound of an iterate, in pairs",
                                     .range = {.lo = 2.0, .hi = 1e6}});
    field(self.max_iterations, FieldSpec{.name = "max_iterations",
                                         .help = "iterations at most",
                                         .range = {.lo = 1.0, .hi = 1e9}});
  }
};

class PathClimb {
 public:
  PathClimb(const density::LogDensity& density, const PathfinderOptions& own, Rng rng)
      : density_(density),
        own_(own),
        rng_(rng),
        evaluator_(density.make_evaluator()),
        matrix_(
            {.history = own.history,
             .first = std::vector<double>(static_cast<std::size_t>(density.dimension()), 1.0)}) {}

  // Best normal distribution along the path; empty where no iterate has a finite bound.
  std::optional<MixturePartSpec> run(std::span<const double> start);
  double bound() const { return bound_; }
  Index num_evaluations() const { return num_evaluations_; }

 private:
  bool ask(PointState& at);
  bool climb();
  void learn();
  void look();
  double bound_of(const MixturePartSpec& part, const Metric& metric);

  const density::LogDensity& density_;
  const PathfinderOptions own_;
  Rng rng_;
  std::unique_ptr<density::Evaluator> evaluator_;
  QuasiNewton matrix_;
  PointState here_, there_;
  std::optional<MixturePartSpec> best_;
  double bound_ = -kInfinity;
  Index num_evaluations_ = 0;
};

bool PathClimb::ask(PointState& at) {
  density::Request request{.position = at.position, .gradient = at.gradient, .status = {}};
  density::Request* batch[] = {&request};
  evaluator_->evaluate(density::Want::gradient, batch);
  ++num_evaluations_;
  at.log_density = request.status.ok() ? request.log_density : -kInfinity;
  return std::isfinite(at.log_density) &&
         std::ranges::all_of(at.gradient, [](double g) { return std::isfinite(g); });
}

// A vector of length 1, without squares that overflow.
std::vector<double> unit_along(std::span<const double> gradient) {
  double largest = 0.0;
  for (const double g : gradient) largest = std::max(largest, std::fabs(g));
  std::vector<double> unit(gradient.begin(), gradient.end());
  for (double& u : unit) u /= largest;
  const double length = std::sqrt(dot(unit, unit));
  for (double& u : unit) u /= length;
  return unit;
}

// True where a step that climbs was found by halving: it is there_. Far from the posterior squares of gradients overflow: steps go along
// them there.
bool PathClimb::climb() {
  constexpr double kArmijo = 1e-4, kSmallest = 1e-12;
  std::vector<double> uphill = matrix_.direction(here_.gradient);
  double slope = dot(uphill, here_.gradient), length = std::sqrt(dot(uphill, uphill));
  if (!std::isfinite(slope) || !std::isfinite(length)) {
    uphill = unit_along(here_.gradient);
    slope = dot(uphill, here_.gradient);
    length = 1.0;
  }
  const double first = matrix_.pairs.empty() ? std::min(1.0, 1.0 / length) : 1.0;
  for (double step = first; step > kSmallest * first; step *= 0.5) {
    there_.position = here_.position;
    add(there_.position, step, uphill);
    if (ask(there_) && there_.log_density >= here_.log_density + kArmijo * step * slope)
      return true;
  }
  return false;
}

// The pair of the last move, unless it is without curvature, and the diagonal that the recursion begins with [zhang2022].
void PathClimb::learn() {
  constexpr double kFlat = 1e-12;
  std::vector<double> s = there_.position, y = here_.gradient;
  add(s, -1.0, here_.position);
  add(y, -1.0, there_.gradient);
  const double b = dot(y, s);
  if (!(b > kFlat * dot(y, y))) return;
  std::vector<double>& alpha = matrix_.first;
  double a = 0.0, c = 0.0;
  for (std::size_t d = 0; d < s.size(); ++d)
    a += y[d] * y[d] * alpha[d], c += s[d] * s[d] / alpha[d];
  for (std::size_t d = 0; d < s.size(); ++d)
    alpha[d] = 1.0 / (a / (b * alpha[d]) + y[d] * y[d] / b -
                      a * s[d] * s[d] / (b * c * alpha[d] * alpha[d]));
  matrix_.learn(here_, there_);
}

double PathClimb::bound_of(const MixturePartSpec& part, const Metric& metric) {
  const std::size_t n = part.mean.size();
  std::vector<double> z(n), x(n);
  double sum = log_root_of(metric), squares = 0.0;
  sum += static_cast<double>(n) * kHalfLogTwoPiOfPaths;
  const Index pairs = own_.elbo_draws / 2;
  PointState at = make_point(ssize(part.mean), true);
  for (Index k = 0; k < pairs; ++k) {
    for (double& v : z) v = rng_.normal();
    for (int sign = 0; sign < 2; ++sign) {
      metric.shape_move(z, at.position);
      add(at.position, 1.0, part.mean);
      if (!ask(at)) return -kInfinity;
      squares += at.log_density + 0.5 * dot(z, z);
      for (double& v : z) v = -v;
    }
  }
  return sum + squares / static_cast<double>(2 * pairs);
}

// The normal distribution of the iterate there is, if its bound is the highest so far.
void PathClimb::look() {
  const std::size_t n = here_.position.size();
  MixturePartSpec part{here_.position, {}};
  add(part.mean, 1.0, matrix_.direction(here_.gradient));
  std::vector<double> unit(n, 0.0);
  for (std::size_t d = 0; d < n; ++d) {
    unit[d] = 1.0;
    const std::vector<double> column = matrix_.direction(unit);
    part.covariance.insert(part.covariance.end(), column.begin(), column.end());
    unit[d] = 0.0;
  }
  for (std::size_t i = 0; i < n; ++i)  // symmetric to the last bit
    for (std::size_t j = 0; j < i; ++j) part.covariance[i * n + j] = part.covariance[j * n + i];
  Metric metric(MetricKind::dense, ssize(here_.position));
  if (!metric.set_inverse(part.covariance)) return;
  const double bound = bound_of(part, metric);
  if (!(bound > bound_)) return;
  bound_ = bound;
  best_ = std::move(part);
}

std::optional<MixturePartSpec> PathClimb::run(std::span<const double> start) {
  constexpr double kGain = 1e-8;  // nats
  here_ = there_ = make_point(density_.dimension(), true);
  here_.position.assign(start.begin(), start.end());
  if (!ask(here_)) return std::nullopt;
  for (Index k = 0; k < own_.max_iterations; ++k) {
    const double gain = 0.5 * dot(matrix_.direction(here_.gradient), here_.gradient);
    if (gain <= kGain || !climb()) break;
    learn();
    std::swap(here_, there_);
    look();
  }
  if (!best_) look();  // a start at the mode
  return best_;
}

// ---- the paths

struct PathEnds {
  std::vector<MixturePartSpec> parts;
  std::vector<double> bounds;  // -infinity where a path has none
  Index num_evaluations = 0;

  static void saved(auto& self, auto&& field) {
    field(self.parts);
    field(self.bounds);
    field(self.num_evaluations);
  }
};

PathEnds walk_paths(const density::LogDensity& density, const PathfinderOptions& own,
                    const SampleOptions& options) {
  PathEnds ends;
  const std::uint64_t seed = options.seed;
  const auto starts = independent_starts(density, own.num_paths, seed);
  FitStage stage;
  stage.resume(ends);
  for (std::size_t k = ends.bounds.size(); k < starts.size(); ++k) {
    stop_if_asked();
    if (options.on_fit) options.on_fit({"paths", static_cast<Index>(k), own.num_paths});
    PathClimb path(density, own,
                   Rng({.seed = seed,
                        .purpose = purpose::kWalker,
                        .chain = kPathStream,
                        .iteration = static_cast<std::uint32_t>(k)}));
    if (auto part = path.run(starts[k])) ends.parts.push_back(*std::move(part));
    ends.bounds.push_back(path.bound());
    ends.num_evaluations += path.num_evaluations();
    stage.look(ends);
  }
  stage.end(ends);
  if (ends.parts.empty())
    throw Error(ErrorCode::evaluation,
                fmt::format("none of {} paths has an iterate with a finite bound", own.num_paths),
                "pathfinder", "ask for more with --num-paths, or use credo sample");
  return ends;
}

std::vector<double> means_of(std::span<const MixturePartSpec> parts) {
  std::vector<double> means;
  for (const MixturePartSpec& part : parts)
    means.insert(means.end(), part.mean.begin(), part.mean.end());
  return means;
}

RunResult run_pathfinder(const density::LogDensity& density, const SampleOptions& options,
                         DrawSink& sink) {
  const auto own = options_for<PathfinderOptions>(options.kernel, options.sampler);
  validate(own);
  require_no_metric(options);
  require_approximable(density, "Pathfinder", kMostPathValues);
  const PathEnds ends = walk_paths(density, own, options);
  FittedApproximation fitted{
      .distribution = mixture_of_normals(ends.parts, 0),
      .figures = {{"means", means_of(ends.parts)},
                  {"bounds", ends.bounds},
                  {"num_fit_evaluations", {static_cast<double>(ends.num_evaluations)}}},
      .warnings = {}};
  if (ends.parts.size() < ends.bounds.size())
    fitted.warnings.push_back(
        fmt::format("{} of {} paths have no iterate with a finite bound, and are left out",
                    ends.bounds.size() - ends.parts.size(), ends.bounds.size()));
  return draw_approximation(density, options, std::move(fitted), sink);
}
}  // namespace

extern const SamplerSpec kPathfinder;
const SamplerSpec kPathfinder = approximation_row(
    {.name = "pathfinder",
     .summary = "weighted draws from normal distributions along climbs",
     .reference = "zhang2022"},
    [] { return KernelOptions(PathfinderOptions{}); }, run_pathfinder);

}  // namespace credo::infer
