// The normal distribution with the moments of draws (moments.hpp), as weighted draws.
#include "base/error.hpp"
#include "base/ranks.hpp"
#include "base/stop.hpp"
#include "infer/core/chain.hpp"
#include "infer/core/fit_stages.hpp"
#include "infer/mcmc/hamiltonian/nuts.hpp"
#include "infer/variational/family_draws.hpp"
#include "infer/variational/fits/flow_to_draws.hpp"
#include "infer/variational/fits/moments.hpp"
#include "infer/variational/fits/named_blocks.hpp"

namespace credo::infer {
namespace {
constexpr Index kMostMomentValues = 500, kMostFullMoments = 200;
constexpr Index kMomentWarmup = 500, kMomentDraws = 1000;

// Draws of a short run of NUTS, which every rank does as a whole.
std::vector<std::vector<double>> draws_of_run(const density::LogDensity& density,
                                              const SampleOptions& like) {
  SampleOptions options{.num_chains = 1,
                        .num_warmup = kMomentWarmup,
                        .num_draws = kMomentDraws,
                        .seed = like.seed,
                        .num_threads = 1};
  FitStage stage;
  std::vector<std::vector<double>> points;
  if (stage.resume(points)) return points;
  options.kernel = NutsOptions{};
  options.stop = like.stop;
  StoredDraws store;
  const RanksScope alone(nullptr);
  run_chains(density, options, store);
  stop_if_asked();  // fewer draws would be another fit
  for (Index s = 0; s < store.num_complete(); ++s) {
    points.emplace_back();
    for (Index d = 0; d < density.dimension(); ++d) points.back().push_back(store.draws(s, 0, d));
  }
  stage.end(points);
  return points;
}

// The moments, and the mean log density; NaN if it isn't known.
struct DrawnMoments {
  Moments moments;
  double log_density = kNaN;
};
DrawnMoments moments_of_run(const density::LogDensity& density, const SampleOptions& like) {
  const std::vector<std::vector<double>> points = draws_of_run(density, like);
  return {weighted_moments(points, {}), mean_log_density(density, points, {})};
}

DrawnMoments given_moments(const MomentsOptions& own, Index dimension) {
  if (ssize(own.mean) != dimension || ssize(own.second) != dimension * dimension)
    throw Error(ErrorCode::usage,
                "the mean or the covariance has another size than the unconstrained values", "mean",
                "give --from FIT, whose draws have the right ones");
  return {{own.mean, own.second}, own.log_density.empty() ? kNaN : own.log_density.front()};
}

CovarianceShape shape_of(const MomentsOptions& own, Index dimension) {
  if (own.covariance != CovarianceShape::automatic) return own.covariance;
  return dimension <= kMostFullMoments ? CovarianceShape::full : CovarianceShape::low_rank;
}

std::vector<std::vector<double>> given_points(const MomentsOptions& own, Index dimension) {
  const auto n = static_cast<std::size_t>(dimension);
  if (own.points.size() % n != 0 ||
      (!own.log_weights.empty() && own.log_weights.size() * n != own.points.size()))
    throw Error(ErrorCode::usage,
                "the points have another size than the unconstrained values, or another number of "
                "weights",
                "points", "give --from FIT, whose draws have the right ones");
  std::vector<std::vector<double>> points;
  for (std::size_t first = 0; first < own.points.size(); first += n)
    points.emplace_back(own.points.begin() + static_cast<std::ptrdiff_t>(first),
                        own.points.begin() + static_cast<std::ptrdiff_t>(first + n));
  return points;
}

RunResult run_flow_to_draws(const density::LogDensity& density, const MomentsOptions& own,
                            const SampleOptions& options, DrawSink& sink) {
  const auto points =
      own.points.empty() ? draws_of_run(density, options) : given_points(own, density.dimension());
  const DensityOfDraws fit = fit_flow_to_draws(
      points, own.log_weights, {.layers = own.layers, .hidden = own.hidden, .seed = options.seed});
  const std::span<const double> parameters = fit.family->parameters();
  FittedApproximation fitted{.distribution = std::make_shared<FamilyDraws>(*fit.family),
                             .figures = {{"centre", fit.spec.centre},
                                         {"root", fit.spec.root},
                                         {"parameters", {parameters.begin(), parameters.end()}},
                                         {"log_density_of_draws", {fit.objective}},
                                         {"log_density_by_normal", {fit.normal_objective}}},
                             .warnings = {},
                             .course = fit.course,
                             .has_course = true};
  if (!fit.converged)
    fitted.warnings.emplace_back(
        "the density of the draws was still rising when the steps were used up");
  return draw_approximation(density, options, std::move(fitted), sink);
}

RunResult run_moments(const density::LogDensity& density, const SampleOptions& options,
                      DrawSink& sink) {
  const auto own = options_for<MomentsOptions>(options.kernel, options.sampler);
  validate(own);
  require_needs(own);
  require_no_metric(options);
  require_approximable(density, "the moment projection", kMostMomentValues);
  if (!own.layers.empty()) return run_flow_to_draws(density, own, options, sink);
  const DrawnMoments drawn =
      own.mean.empty() ? moments_of_run(density, options) : given_moments(own, density.dimension());
  const CovarianceShape shape = shape_of(own, density.dimension());
  std::vector<std::vector<Index>> blocks;
  if (shape == CovarianceShape::blocks) blocks = named_blocks(density, own.join);
  const MomentFit fit = fit_moments(drawn.moments, shape, own.rank, std::move(blocks));
  FittedApproximation fitted{.distribution = std::make_shared<FamilyDraws>(*fit.family),
                             .figures = settings_of(*fit.family),
                             .warnings = {},
                             .course = {},
                             .has_course = true};
  fitted.figures.push_back({"divergence", {fit.divergence}});
  if (!std::isnan(drawn.log_density))
    fitted.figures.push_back({"eubo", {drawn.log_density - fit.mean_log_q}});
  if (!fit.converged)
    fitted.warnings.emplace_back("the climb to the nearest member of the family hasn't converged");
  return draw_approximation(density, options, std::move(fitted), sink);
}
}  // namespace

extern const SamplerSpec kMoments;
const SamplerSpec kMoments = approximation_row(
    {.name = "moments",
     .summary = "weighted draws from the normal distribution or flow nearest to draws",
     .reference = "murphy2023"},
    [] { return KernelOptions(MomentsOptions{}); }, run_moments, bound_groups);

}  // namespace credo::infer
