// Hamiltonian variational inference (hamiltonian_map.hpp) as weighted draws: the bound climbs by L-BFGS on fixed draws of place and
// momentum.
#include "base/error.hpp"
#include "base/rng.hpp"
#include "base/stop.hpp"
#include "infer/core/chain.hpp"
#include "infer/core/fit_stages.hpp"
#include "infer/core/needs.hpp"
#include "infer/core/vectors.hpp"
#include "infer/optimise/mode.hpp"
#include "infer/variational/approximation.hpp"
#include "infer/variational/climbs/bound_figures.hpp"
#include "infer/variational/climbs/fixed_draw_bound.hpp"
#include "infer/variational/fits/hamiltonian_map.hpp"
#include "infer/variational/hamiltonian_options.hpp"

namespace credo::infer {
namespace {
constexpr std::uint32_t kFreshTrajectories = 1'000'003;          // no chain of a run
constexpr Index kMostOfTrajectories = 100, kMostFullStart = 30;  // values

// The bound on fixed draws as a log density of λ.
class TrajectoryBound final : public density::LogDensity {
 public:
  TrajectoryBound(const HamiltonianMap& map, std::vector<double> draws)
      : map_(map), draws_(std::move(draws)) {}
  Index dimension() const override { return map_.num_parameters(); }
  bool has_gradient() const override { return true; }
  std::string describe(const density::Status&) const override {
    return "the density refuses a place on a trajectory";
  }
  std::unique_ptr<density::Evaluator> make_evaluator() const override {
    return std::make_unique<Evaluating>(map_, draws_);
  }

 private:
  class Evaluating final : public density::Evaluator {
   public:
    Evaluating(const HamiltonianMap& map, std::span<const double> draws)
        : map_(map), draws_(draws) {}
    void evaluate(density::Want, std::span<density::Request* const> batch) override {
      for (density::Request* request : batch) answer(*request);
    }

   private:
    void answer(density::Request& request) {
      const auto width = static_cast<std::size_t>(map_.num_base());
      const double count = static_cast<double>(draws_.size() / width);
      map_.move_to(request.position);
      request.log_density = 0.0;
      request.status = {};
      std::fill(request.gradient.begin(), request.gradient.end(), 0.0);
      for (std::size_t first = 0; first < draws_.size(); first += width) {
        if (!map_.place(draws_.subspan(first, width))) return refuse(request);
        request.log_density += map_.log_joint() / count;
        if (!request.gradient.empty() && !map_.pull_back(request.gradient)) return refuse(request);
      }
      request.log_density += map_.entropy();
      for (double& slope : request.gradient) slope /= count;
      if (!request.gradient.empty()) map_.add_entropy_slope(request.gradient);
      if (!std::isfinite(request.log_density)) refuse(request);
    }
    static void refuse(density::Request& request) {
      request.log_density = -kInfinity;
      request.status.source = 1;
    }
    HamiltonianMap map_;
    std::span<const double> draws_;
  };

  const HamiltonianMap& map_;
  std::vector<double> draws_;
};

class TrajectoryDraws final : public Approximation {
 public:
  explicit TrajectoryDraws(const HamiltonianMap& map)
      : map_(map), z_(static_cast<std::size_t>(map.num_base())) {}
  std::unique_ptr<Approximation> clone() const override {
    return std::make_unique<TrajectoryDraws>(map_);
  }
  double draw(Rng& rng, std::span<double> x) override {
    for (double& z : z_) z = rng.normal();
    const bool is_placed = map_.place(z_);
    std::ranges::copy(map_.position(), x.begin());
    if (!is_placed) x[0] = kNaN;  // no density there
    return map_.log_q();
  }

 private:
  HamiltonianMap map_;
  std::vector<double> z_;
};

// log p + log r - log q₀ - log N(p₀) of new draws.
std::vector<double> fresh_ratios(HamiltonianMap& map, const HamiltonianOptions& own,
                                 std::uint64_t seed) {
  std::vector<double> z(static_cast<std::size_t>(map.num_base())), ratios;
  FitStage stage;
  stage.resume(ratios);
  Rng rng({.seed = seed, .purpose = purpose::kWalker, .chain = kFreshTrajectories, .iteration = 0},
          ratios.size() * z.size());
  while (ssize(ratios) < own.num_fresh) {
    if (ssize(ratios) % 100 == 0) stop_if_asked();
    for (double& v : z) v = rng.normal();
    const bool is_placed = map.place(z);
    ratios.push_back(is_placed ? map.log_density() - map.log_q() : -kInfinity);
    stage.look(ratios);
  }
  stage.end(ratios);
  if (std::ranges::count(ratios, -kInfinity) > 0)
    throw Error(ErrorCode::evaluation,
                "the density refuses places on trajectories of new draws, so that the bound is "
                "minus infinity",
                "hamiltonian", "declare the ranges of the parameters, or take --method normal");
  return ratios;
}

// Laplace's fit, or where the density has no mode the best normal distribution by the bound.
FamilySetup first_setup(const density::LogDensity& density, std::uint64_t seed) {
  const BestNormal best = maximise_bound(
      density, {.covariance = CovarianceShape::full, .num_fresh = 100, .seed = seed});
  return {.mean = best.family->mean(), .covariance = best.family->covariance()};
}

struct BestTrajectories {
  HamiltonianMap map;
  bool converged;
  Index num_evaluations;
  std::vector<BoundRow> course;
};

BestTrajectories fit_trajectories(const density::LogDensity& density, const HamiltonianOptions& own,
                                  std::uint64_t seed) {
  constexpr Index kFewDraws = 200, kDrawsEach = 10;
  const Index dimension = density.dimension();
  const FamilySetup setup = first_setup(density, seed);
  CovarianceShape shape = own.first_covariance;
  if (shape == CovarianceShape::automatic)
    shape = dimension <= kMostFullStart ? CovarianceShape::full : CovarianceShape::diagonal;
  std::vector<double> units;
  for (const double variance : make_diagonal_normal(setup)->variances())
    units.push_back(std::sqrt(variance));
  HamiltonianMap map(density, family_of(shape).make(setup), units, own.leapfrog);
  const TrajectoryBound bound(map, balanced_draws(kFewDraws + kDrawsEach * map.num_base(),
                                                  map.num_base(), CovarianceShape::full, seed));
  const Index each = (kFewDraws + kDrawsEach * map.num_base()) * (own.leapfrog + 1);
  std::vector<BoundRow> course;
  const std::vector<double> start = map.start();
  const Mode mode =
      find_mode(bound, {.max_iterations = own.max_iterations,
                        .tolerance = own.tolerance,
                        .start = start,
                        .keeps_state = true,
                        .on_iteration = [&](double value, double step, double gradient, Index num) {
                          course.push_back({value, step, gradient, num * each});
                        }});
  map.move_to(mode.position);
  return {std::move(map), mode.converged, mode.num_evaluations * each, std::move(course)};
}

RunResult run_hamiltonian(const density::LogDensity& density, const SampleOptions& options,
                          DrawSink& sink) {
  const auto own = options_for<HamiltonianOptions>(options.kernel, options.sampler);
  validate(own);
  require_no_metric(options);
  require_approximable(density, "Hamiltonian variational inference", kMostOfTrajectories);
  if (own.first_covariance == CovarianceShape::blocks ||
      own.first_covariance == CovarianceShape::low_rank)
    throw Error(ErrorCode::usage, "the first draw's covariance is full or diagonal",
                "first_covariance", "take --first-covariance full or diagonal");
  BestTrajectories best = fit_trajectories(density, own, options.seed);
  const FreshBounds bounds =
      bounds_of_ratios(fresh_ratios(best.map, own, options.seed), parse_objective("elbo"));
  std::vector<TunedSetting> figures = figures_of_bounds(bounds.elbo, bounds);
  figures.push_back({"step_sizes", best.map.step_sizes()});
  figures.push_back(
      {"reverse_scales", {best.map.reverse_scales().begin(), best.map.reverse_scales().end()}});
  figures.push_back({"first_mean", best.map.first().mean()});
  figures.push_back({"first_variances", best.map.first().variances()});
  figures.push_back({"num_fit_evaluations", {static_cast<double>(best.num_evaluations)}});
  FittedApproximation fitted{.distribution = std::make_shared<TrajectoryDraws>(best.map),
                             .figures = std::move(figures),
                             .warnings = {},
                             .course = std::move(best.course),
                             .has_course = true};
  if (!best.converged)
    fitted.warnings.emplace_back(
        "the bound was still rising when the iterations were used up: allow more with "
        "--max-iterations");
  return draw_approximation(density, options, std::move(fitted), sink);
}
}  // namespace

extern const SamplerSpec kHamiltonian;
const SamplerSpec kHamiltonian = approximation_row(
    {.name = "hamiltonian",
     .summary = "weighted draws at the ends of leapfrog trajectories that begin at a normal "
                "distribution",
     .reference = "salimans2015"},
    [] { return KernelOptions(HamiltonianOptions{}); }, run_hamiltonian, bound_groups);

}  // namespace credo::infer
