#include "infer/variational/climbs/bound.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "base/stop.hpp"
#include "density/model.hpp"
#include "infer/core/fit_stages.hpp"
#include "infer/core/needs.hpp"
#include "infer/core/vectors.hpp"
#include "infer/gibbs/site_sweep.hpp"
#include "infer/optimise/mode.hpp"
#include "infer/optimise/starts.hpp"
#include "infer/variational/climbs/batches.hpp"
#include "infer/variational/climbs/climb_guard.hpp"
#include "infer/variational/climbs/climb_online.hpp"
#include "infer/variational/climbs/family_requests.hpp"
#include "infer/variational/climbs/fixed_draw_bound.hpp"
#include "infer/variational/fits/laplace_fit.hpp"
#include "infer/variational/fits/named_blocks.hpp"
#include "numerics/log_sum.hpp"

namespace credo::infer {
namespace {
constexpr Index kFirstDraws = 16;                 // draws of each start from the prior
constexpr double kFirstVariance = 0.01;           // that such a start begins with
constexpr Index kMostWithCurvature = 500;         // values whose second derivatives are computed
constexpr std::uint32_t kFreshDraws = 1'000'002;  // no chain of a run

Error no_normal_distribution(const std::string& why) {
  return {ErrorCode::evaluation, why, "elbo",
          "the density ends where a normal distribution of the unconstrained values doesn't: "
          "declare the range of its parameters, or use another method"};
}

// The options with their choices made.
struct BoundPlan {
  BoundOptions options;
  Objective objective;
  std::vector<std::vector<Index>> blocks;
  std::string gradient, optimizer;
  std::shared_ptr<const density::LogDensity> prior =
      nullptr;  // the prior, for a tempered divergence
  MeanTerm at_mean() const { return {prior.get(), options.temper - 1.0}; }
  FamilyMaker make;
  Index inner_steps = 0;
  bool has_fixed_draws() const { return optimizer == "lbfgs"; }
};

CovarianceShape shape_for(Index dimension) {
  if (dimension <= kMostOfFullCovariance) return CovarianceShape::full;
  return dimension <= kMostOfFixedDraws ? CovarianceShape::low_rank : CovarianceShape::diagonal;
}

std::shared_ptr<const density::LogDensity> prior_of_tempered(const density::LogDensity& density,
                                                             bool has_fixed_draws) {
  if (!has_fixed_draws)
    throw Error(ErrorCode::usage, "the tempered divergence is climbed by L-BFGS on fixed draws",
                "temper", "leave out --temper, or --batch, --gradient and --optimizer");
  std::shared_ptr<const density::LogDensity> prior = density.prior();
  if (prior == nullptr)
    throw Error(ErrorCode::usage, "the density doesn't know its prior", "temper",
                "leave out --temper");
  return prior;
}

// Fixed points have a covariance each.
void require_online(const BoundOptions& own) {
  const bool is_full = own.optimizer == "foovb";
  const CovarianceShape shape = is_full ? CovarianceShape::full : CovarianceShape::diagonal;
  if (own.covariance != CovarianceShape::automatic && own.covariance != shape)
    throw Error(ErrorCode::usage,
                fmt::format("{} has a {} covariance", own.optimizer, is_full ? "full" : "diagonal"),
                "covariance", "leave --covariance out");
  if (own.objective != "elbo" || own.gradient != "auto")
    throw Error(ErrorCode::usage,
                fmt::format("{} goes to fixed points of the evidence bound", own.optimizer),
                "optimizer", "leave out --objective and --gradient");
}

BoundPlan plan_of(const density::LogDensity& density, const BoundOptions& options) {
  BoundPlan plan{.options = options,
                 .objective = parse_objective(options.objective),
                 .blocks = {},
                 .gradient = options.gradient,
                 .optimizer = options.optimizer,
                 .make = nullptr,
                 .inner_steps = 0};
  const bool may_be_fixed = plan.objective.is_elbo() && options.batch == 0 && options.refine == 0 &&
                            options.gradient == "auto" && density.dimension() <= kMostOfFixedDraws;
  if (plan.optimizer == "auto") plan.optimizer = may_be_fixed ? "lbfgs" : "adam";
  if (plan.gradient == "auto") plan.gradient = standard_estimator(plan.objective);
  if (options.power != 1.0 && !plan.objective.is_generalised())
    throw Error(ErrorCode::usage, "only gvi weighs the likelihood", "power",
                "add --objective gvi:0.5, or take --temperature for a power of the whole density");
  if (plan.has_fixed_draws() && !may_be_fixed)
    throw Error(ErrorCode::usage,
                "L-BFGS climbs the evidence bound of all rows on fixed draws, without an "
                "estimator of its gradient",
                "optimizer", "leave --optimizer out, or take adam");
  if (options.covariance == CovarianceShape::automatic)
    plan.options.covariance = shape_for(density.dimension());
  if (options.temper != 1.0) plan.prior = prior_of_tempered(density, plan.has_fixed_draws());
  if (options.covariance == CovarianceShape::blocks)
    plan.blocks = named_blocks(density, options.join);
  return plan;
}

}  // namespace

void require_no_steps(const BoundOptions& own, const char* hint) {
  const BoundOptions standard;
  const auto refuse_if = [&](bool is_set, const char* field) {
    if (is_set)
      throw Error(ErrorCode::usage,
                  "the climb is by L-BFGS on fixed draws, which takes no steps by estimated "
                  "gradients",
                  field, hint);
  };
  refuse_if(own.step_draws != standard.step_draws, "step_draws");
  refuse_if(own.step != standard.step, "step");
  refuse_if(own.stop != standard.stop, "stop");
  refuse_if(own.tolerance != standard.tolerance, "tolerance");
  refuse_if(own.max_steps != standard.max_steps, "max_steps");
}

namespace {
void require_boundable(const density::LogDensity& density, const BoundOptions& options) {
  require_continuous(density, "the variational bound");
  if (!density.has_gradient())
    throw Error(ErrorCode::usage,
                "the variational bound needs a gradient, the log density has none", "elbo",
                "use another method");
  if (options.covariance == CovarianceShape::full && density.dimension() > kMostOfFullCovariance)
    throw Error(ErrorCode::usage,
                fmt::format("a full covariance of {} unconstrained values is too large, at most {}",
                            density.dimension(), kMostOfFullCovariance),
                "elbo", "add --covariance diagonal or low_rank");
  for (const auto& [field, text] :
       {std::pair{"stop", options.stop}, {"optimizer", options.optimizer}}) {
    const auto fields = fields_of(options);
    const auto known = std::ranges::find(fields, field, &FieldValue::name);
    check_choice(field, choices_of(known->spec), text);
  }
  require_needs(options);
}

// ---- L-BFGS on fixed draws

FittedFamily fit_fixed(const density::LogDensity& density, std::unique_ptr<NormalFamily> family,
                       std::vector<double> draws, const BoundOptions& own, MeanTerm at_mean = {},
                       Index inner_steps = 0) {
  ClimbResult climb = climb_fixed(density, *family, std::move(draws), own.max_iterations,
                                  {own.num_threads, own.on_fit, at_mean, inner_steps});
  return {std::move(climb), std::move(family)};
}

// Draws whose covariance is exact. Without that a family with directions of its own climbs where no draw is; a diagonal one
// has no such directions, and takes fewer draws where exact ones are many.
std::vector<double> fixed_draws(const NormalFamily& family, CovarianceShape shape,
                                std::uint64_t seed) {
  constexpr Index kMostExact = kMostOfFullCovariance + 20, kFew = 500, kEach = 20, kEachOfMany = 4;
  const Index n = family.num_base();
  if (n > kMostExact && shape == CovarianceShape::diagonal)
    return balanced_draws(2 * kFew, n, CovarianceShape::diagonal, seed);
  return balanced_draws(kFew + (n > kMostExact ? kEachOfMany : kEach) * n, n, CovarianceShape::full,
                        seed);
}

// ---- starts

// Laplace's fit; empty where the density has no peak.
std::optional<FamilySetup> laplace_start(const density::LogDensity& density,
                                         const BoundOptions& options) {
  if (density.dimension() > kMostWithCurvature) return std::nullopt;
  try {
    std::vector<LaplacePeak> peaks = find_peaks(density, {.num_starts = options.num_starts,
                                                          .seed = options.seed,
                                                          .exact = false,
                                                          .num_threads = options.num_threads});
    return FamilySetup{.mean = std::move(peaks.front().mode.position),
                       .covariance = std::move(peaks.front().curvature.covariance)};
  } catch (const Error& error) {
    if (error.code() != ErrorCode::evaluation) throw;
    return std::nullopt;
  }
}

// Laplace's fit for batches: climbs by some of the rows, then steps to the top of all rows with the curvature by some.
std::optional<FamilySetup> start_by_some_rows(const density::LogDensity& density,
                                              const BoundOptions& options) {
  constexpr Index kSomeRows = 10'000, kMostSteps = 10;
  constexpr double kNear = 0.01;  // standard deviations
  const Index count = std::min(density.num_rows(), std::max(options.batch, kSomeRows));
  if (density.dimension() > kMostWithCurvature || count == density.num_rows())
    return laplace_start(density, options);
  const auto batches = density_of_batches(density, count);
  BatchRows rows(density.num_rows(), count, options.seed);
  const std::span<const double> some = rows.next();
  auto start =
      laplace_start(SomeRows(*batches, {some.begin(), some.end()}, rows.weight()), options);
  if (!start) return start;
  const auto evaluator = density.make_evaluator();
  evaluator->use_threads(options.num_threads);
  std::vector<double> gradient(start->mean.size());
  for (Index k = 0; k < kMostSteps; ++k) {
    stop_if_asked();
    density::Request request{.position = start->mean, .gradient = gradient, .status = {}};
    density::Request* batch[] = {&request};
    evaluator->evaluate(density::Want::gradient, batch);
    if (!request.status.ok()) return std::nullopt;
    const std::vector<double> step = product(start->covariance, gradient);
    add(start->mean, 1.0, step);
    if (std::sqrt(dot(step, gradient) / static_cast<double>(step.size())) < kNear) break;
  }
  return start;
}

// The best diagonal distribution over climbs from draws of the prior.
FittedFamily fit_from_prior(const density::LogDensity& density, const BoundOptions& options) {
  std::optional<FittedFamily> best;
  std::string refusal;
  Index num_evaluations = 0;
  const std::vector<double> variances(static_cast<std::size_t>(density.dimension()),
                                      kFirstVariance);
  const std::vector<double> draws =
      balanced_draws(kFirstDraws, density.dimension(), CovarianceShape::diagonal, options.seed);
  for (std::vector<double>& start : independent_starts(density, options.num_starts, options.seed)) {
    stop_if_asked();
    try {
      FittedFamily found =
          fit_fixed(density, make_diagonal_normal({std::move(start), variances}), draws, options);
      num_evaluations += found.num_evaluations;
      if (!best || found.objective > best->objective) best = std::move(found);
    } catch (const Error& error) {  // a start where the density has no value
      if (error.code() != ErrorCode::evaluation) throw;
      refusal = error.message();
    }
  }
  if (!best)
    throw Error(ErrorCode::evaluation,
                fmt::format("around none of {} starts the density has values: {}",
                            options.num_starts, refusal),
                "elbo", "use another method");
  best->num_evaluations = num_evaluations;
  return *std::move(best);
}

// The mean of a fit, with the curvature there as its covariance if that is peaked.
FamilySetup setup_at(const density::LogDensity& density, const FittedFamily& fitted,
                     CovarianceShape shape) {
  FamilySetup setup{.mean = fitted.family->mean(), .covariance = fitted.family->variances()};
  if (shape == CovarianceShape::diagonal || density.dimension() > kMostWithCurvature) return setup;
  try {
    setup.covariance = inverse_hessian(density, setup.mean);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::evaluation) throw;
  }
  return setup;
}

// ---- the fit from a start

// The objective isn't one of the density alone, and its height isn't compared with that of the start.
ClimbResult climb_generalised(const density::LogDensity& density, const Objective& objective,
                              const EstimatorSpec& estimator, const BoundOptions& own,
                              NormalFamily& family) {
  const auto prior = density.prior();
  if (prior == nullptr)
    throw Error(ErrorCode::usage, "the likelihood can't be separated from the prior", "objective",
                "state the priors as densities of the parameters, or take --objective renyi:a");
  return climb_stochastic({density, 0, objective, estimator, own, -kInfinity, nullptr, prior.get()},
                          family);
}

FittedFamily climb_once(const density::LogDensity& density, const BoundPlan& plan,
                        const FamilySetup& setup) {
  const BoundOptions& own = plan.options;
  auto family = plan.make(setup);
  if (plan.has_fixed_draws()) {
    std::vector<double> draws = fixed_draws(*family, own.covariance, own.seed);
    return fit_fixed(density, std::move(family), std::move(draws), own, plan.at_mean(),
                     plan.inner_steps);
  }
  BoundOptions chosen = own;
  chosen.optimizer = plan.optimizer;
  const EstimatorSpec& estimator = find_estimator(plan.gradient, plan.objective);
  if (plan.objective.is_generalised()) {
    ClimbResult climb = climb_generalised(density, plan.objective, estimator, chosen, *family);
    return {std::move(climb), std::move(family)};
  }
  const auto batches = own.batch > 0 ? density_of_batches(density, own.batch) : nullptr;
  const StochasticClimbSetup climbs{batches ? *batches : density, batches ? density.num_rows() : 0,
                                    plan.objective, estimator, chosen};
  // Points at refined draws don't climb the bound, which may fall.
  ClimbResult climb =
      own.refine > 0 ? climb_stochastic(climbs, *family) : climb_guarded(density, climbs, *family);
  return {std::move(climb), std::move(family)};
}

// From a start, or from narrower ones if its draws have no density.
FittedFamily fit_from(const density::LogDensity& density, const BoundPlan& plan,
                      FamilySetup setup) {
  constexpr double kNarrower = 0.25;  // in standard deviations
  constexpr int kMostTimes = 4;
  setup.rank = plan.options.rank;
  setup.blocks = plan.blocks;
  for (int times = 0; true; ++times) {
    try {
      return climb_once(density, plan, setup);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::evaluation) throw;
      if (times == kMostTimes)
        throw no_normal_distribution("draws around the best start have no density");
    }
    for (double& c : setup.covariance) c *= kNarrower * kNarrower;
  }
}

FittedFamily best_fit(const density::LogDensity& density, const BoundPlan& plan) {
  if (is_online(plan.optimizer)) return climb_online(density, plan.options);
  if (auto start = plan.options.batch > 0 ? start_by_some_rows(density, plan.options)
                                          : laplace_start(density, plan.options)) {
    try {
      return fit_from(density, plan, *std::move(start));
    } catch (const Error& error) {  // then from the prior
      if (error.code() != ErrorCode::evaluation) throw;
    }
  }
  const FittedFamily first = fit_from_prior(density, plan.options);
  FittedFamily best = fit_from(density, plan, setup_at(density, first, plan.options.covariance));
  best.num_evaluations += first.num_evaluations;
  return best;
}

// ---- bounds by new draws

// Draws of the reported bounds.
Index num_fresh_of(const density::LogDensity& density, const BoundOptions& options) {
  return options.batch == 0
             ? options.num_fresh
             : std::min(options.num_fresh, most_draws_of_all_rows(density.num_rows()));
}

LogEvidence mean_of(std::span<const double> values) {
  const double count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0.0;
  for (const double v : values) squares += (v - mean) * (v - mean);
  return {.value = mean, .error = std::sqrt(squares / (count - 1.0) / count)};
}

// (1/c) log of the mean of exp(c ℓ), with the error of first order.
LogEvidence power_mean(std::span<const double> log_ratios, double c) {
  const double whole = Objective{.power = c}.value(log_ratios);
  std::vector<double> relative;
  for (const double ratio : log_ratios) relative.push_back(std::exp(c * (ratio - whole)));
  return {.value = whole, .error = mean_of(relative).error / std::fabs(c)};
}

// Σ w ℓ over shares w, with the error of a ratio of means.
LogEvidence weighted_mean(std::span<const double> log_ratios) {
  const Objective eubo{.power = 1.0, .is_forward = true};
  std::vector<double> shares(log_ratios.size());
  eubo.shares(log_ratios, shares);
  const double mean = eubo.value(log_ratios);
  double square = 0.0;
  for (std::size_t s = 0; s < shares.size(); ++s)
    square += std::pow(shares[s] * (log_ratios[s] - mean), 2);
  return {.value = mean, .error = std::sqrt(square)};
}

// By sets of S draws, if the objective is one of S draws.
LogEvidence objective_by(const Objective& objective, std::span<const double> log_ratios) {
  if (objective.power == 0.0) return mean_of(log_ratios);  // gvi has it, too
  if (objective.is_forward) return weighted_mean(log_ratios);
  if (objective.num_draws == 0) return power_mean(log_ratios, objective.power);
  const auto size = static_cast<std::size_t>(objective.num_draws);
  std::vector<double> values;
  for (std::size_t first = 0; first + size <= log_ratios.size(); first += size)
    values.push_back(objective.value(log_ratios.subspan(first, size)));
  return values.size() < 2 ? LogEvidence{objective.value(log_ratios), kNaN} : mean_of(values);
}
}  // namespace

FreshBounds bounds_of_ratios(std::span<const double> log_ratios, const Objective& objective) {
  constexpr double kWeights = 1.0, kSquares = 2.0;  // powers
  return {.elbo = mean_of(log_ratios),
          .objective = objective_by(objective, log_ratios),
          .weights = power_mean(log_ratios, kWeights),
          .upper = power_mean(log_ratios, kSquares),
          .eubo = weighted_mean(log_ratios)};
}

namespace {
// The log ratios of new draws so far.
struct FreshRatios {
  std::vector<double> log_ratios = {};
  Index num_without = 0;           // draws that have no density
  std::uint64_t num_variates = 0;  // used of the stream
  static void saved(auto& self, auto&& field) {
    field(self.log_ratios);
    field(self.num_without);
    field(self.num_variates);
  }
};
}  // namespace

FreshBounds bounds_by_new_draws(const density::LogDensity& density, DistributionFamily& family,
                                const BoundOptions& options) {
  constexpr Index kBatch = 100;
  FamilyRequests requests(density, kBatch, false);
  requests.use_threads(options.num_threads);
  std::vector<double> z(static_cast<std::size_t>(kBatch * family.num_base()));
  FreshRatios fresh;
  FitStage stage;
  stage.resume(fresh);
  Rng rng({.seed = options.seed, .purpose = purpose::kWalker, .chain = kFreshDraws, .iteration = 0},
          fresh.num_variates);
  while (ssize(fresh.log_ratios) < num_fresh_of(density, options)) {
    stop_if_asked();
    for (double& v : z) v = rng.normal();
    const std::span<const density::Request> answers = requests.ask(family, z);
    for (std::size_t s = 0; s < answers.size(); ++s) {
      fresh.num_without += answers[s].status.ok() ? 0 : 1;
      fresh.log_ratios.push_back(answers[s].log_density - requests.log_q()[s]);
    }
    fresh.num_variates = rng.position();
    stage.look(fresh);
  }
  stage.end(fresh);
  if (fresh.num_without > 0)
    throw no_normal_distribution(
        fmt::format("{} of {} draws of the best distribution have no density, so that its bound is "
                    "minus infinity",
                    fresh.num_without, fresh.log_ratios.size()));
  return bounds_of_ratios(fresh.log_ratios, parse_objective(options.objective));
}

BestNormal maximise_bound(const density::LogDensity& density, const BoundOptions& options) {
  return climb_family(density, options, nullptr);
}

BestNormal climb_family(const density::LogDensity& density, const BoundOptions& options,
                        const FamilyMaker& make, Index inner_steps) {
  require_boundable(density, options);
  BoundPlan plan = plan_of(density, options);
  plan.inner_steps = inner_steps;
  plan.make = make ? make : FamilyMaker(family_of(plan.options.covariance).make);
  if (plan.has_fixed_draws()) require_no_steps(options);
  if (is_online(plan.optimizer)) require_online(options);
  FittedFamily best = best_fit(density, plan);
  stop_if_asked();
  const FreshBounds bounds = bounds_by_new_draws(density, *best.family, options);
  return {.family = std::move(best.family),
          .bound = plan.objective.is_upper() ? bounds.elbo : bounds.objective,
          .bounds = bounds,
          .converged = best.converged,
          .took_steps = !plan.has_fixed_draws(),
          .num_evaluations = best.num_evaluations + num_fresh_of(density, options),
          .course = std::move(best.course),
          .remarks = std::move(best.remarks)};
}

}  // namespace credo::infer
