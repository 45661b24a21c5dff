#include "models/gp/hyper.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "diagnose/convergence.hpp"
#include "infer/core/sample.hpp"
#include "infer/optimise/mode.hpp"

namespace credo::models {
namespace {
constexpr Index kMostGrid = 4, kMostCv = 3;

// The posterior's mode in unconstrained values, and axes: columns sd_k v_k of the eigenvectors of the inverse curvature.
struct PosteriorMode {
  std::vector<double> at;
  double log_density = 0.0;
  numerics::DenseMatrix axes;
  Index dimension() const { return ssize(at); }
};

class HyperPosterior {
 public:
  HyperPosterior(const GpProblem& problem, GpSolver& solver)
      : problem_(problem), solver_(solver), estimated_(estimated_parameters(problem.covariance)) {}

  std::vector<double> natural(std::span<const double> free) const {
    std::vector<double> theta = centre_of(problem_.covariance);
    for (std::size_t k = 0; k < estimated_.size(); ++k) {
      const auto p = static_cast<std::size_t>(estimated_[k]);
      theta[p] = problem_.covariance.parameters()[p].from_free(free[k]);
    }
    return theta;
  }
  double log_density(std::span<const double> free) const {
    double value = solver_.evidence(natural(free), false).value;
    for (std::size_t k = 0; k < estimated_.size(); ++k)
      value += problem_.covariance.parameters()[static_cast<std::size_t>(estimated_[k])]
                   .log_prior(free[k])
                   .first;
    return value;
  }
  PosteriorMode mode(OptimaOptions options) const {
    options.with_prior = true;
    const std::vector<GpOptimum> optima = find_optima(problem_, solver_, options);
    if (optima.empty())
      throw Error(ErrorCode::evaluation, "no start has an evidence that is a number", "",
                  "--starts takes more starts");
    PosteriorMode made{.at = {}, .log_density = optima[0].evidence, .axes = {}};
    for (const Index p : estimated_)
      made.at.push_back(problem_.covariance.parameters()[static_cast<std::size_t>(p)].to_free(
          optima[0].theta[static_cast<std::size_t>(p)]));
    const auto density = evidence_density(problem_, solver_, true);
    const Index d = made.dimension();
    const numerics::SymmetricEigen eigen(
        numerics::DenseMatrix(d, d, infer::inverse_hessian(*density, made.at)));
    made.axes = numerics::DenseMatrix(d);
    for (Index k = 0; k < d; ++k)
      for (Index i = 0; i < d; ++i)
        made.axes(i, k) = eigen.vector(static_cast<std::size_t>(k))[static_cast<std::size_t>(i)] *
                          std::sqrt(eigen.values[static_cast<std::size_t>(k)]);
    return made;
  }
  Index dimension() const { return ssize(estimated_); }

 private:
  const GpProblem& problem_;
  GpSolver& solver_;
  std::vector<Index> estimated_;
};

std::vector<double> along(const PosteriorMode& mode, std::span<const double> z) {
  std::vector<double> at = mode.at;
  for (Index k = 0; k < mode.dimension(); ++k)
    for (Index i = 0; i < mode.dimension(); ++i)
      at[static_cast<std::size_t>(i)] += mode.axes(i, k) * z[static_cast<std::size_t>(k)];
  return at;
}

// Weights from their logarithms; points without weight are left out.
HyperPoints weighted(std::vector<std::vector<double>> thetas, std::span<const double> logs) {
  constexpr double kLeast = 1e-6;
  HyperPoints made;
  const double most = std::ranges::max(logs);
  double sum = 0.0;
  for (std::size_t k = 0; k < thetas.size(); ++k) {
    const double weight = std::exp(logs[k] - most);
    if (!(weight > kLeast)) continue;
    made.thetas.push_back(std::move(thetas[k]));
    made.weights.push_back(weight), sum += weight;
  }
  for (double& weight : made.weights) weight /= sum;
  return made;
}
}  // namespace

HyperPoints hyper_grid(const GpProblem& problem, GpSolver& solver, const OptimaOptions& options) {
  constexpr double kReach = 3.0;
  const HyperPosterior posterior(problem, solver);
  const Index d = posterior.dimension();
  if (d > kMostGrid)
    throw Error(ErrorCode::usage,
                fmt::format("a grid over {} hyperparameters has too many points", d), "--hyper",
                "--hyper ccd or mcmc; or state some: se(x, length = 2)");
  const PosteriorMode mode = posterior.mode(options);
  const double step = d <= 2 ? 0.5 : 1.0;
  const auto side = static_cast<Index>(2.0 * kReach / step) + 1;
  Index total = 1;
  for (Index k = 0; k < d; ++k) total *= side;
  std::vector<std::vector<double>> thetas;
  std::vector<double> logs;
  for (Index point = 0; point < total; ++point) {
    stop_if_asked();
    std::vector<double> z;
    double radius = 0.0;
    for (Index k = 0, left = point; k < d; ++k, left /= side) {
      z.push_back(-kReach + step * static_cast<double>(left % side));
      radius += z.back() * z.back();
    }
    if (radius > kReach * kReach + 1e-9) continue;
    const std::vector<double> free = along(mode, z);
    thetas.push_back(posterior.natural(free));
    logs.push_back(posterior.log_density(free));
  }
  HyperPoints made = weighted(std::move(thetas), logs);
  made.notes.push_back(fmt::format(
      "Averaged over {} hyperparameter points of a grid around the mode of their posterior.",
      made.thetas.size()));
  return made;
}

HyperPoints hyper_ccd(const GpProblem& problem, GpSolver& solver, const OptimaOptions& options) {
  const HyperPosterior posterior(problem, solver);
  const auto d = static_cast<double>(posterior.dimension());
  const PosteriorMode mode = posterior.mode(options);
  const double radius = std::sqrt(d + 1.0);
  std::vector<std::vector<double>> thetas{posterior.natural(mode.at)};
  std::vector<double> logs{std::log(1.0 / (d + 1.0))};
  for (Index k = 0; k < mode.dimension(); ++k)
    for (const double side : {-radius, radius}) {
      std::vector<double> z(mode.at.size(), 0.0);
      z[static_cast<std::size_t>(k)] = side;
      const std::vector<double> free = along(mode, z);
      thetas.push_back(posterior.natural(free));
      logs.push_back(std::log(0.5 / (d + 1.0)) + posterior.log_density(free) - mode.log_density +
                     0.5 * radius * radius);
    }
  HyperPoints made = weighted(std::move(thetas), logs);
  made.notes.push_back(fmt::format(
      "Averaged over {} hyperparameter points: the mode of their posterior and two on each axis.",
      made.thetas.size()));
  return made;
}

HyperPoints hyper_mcmc(const GpProblem& problem, GpSolver& solver, const OptimaOptions& options) {
  constexpr Index kKept = 200;
  const HyperPosterior posterior(problem, solver);
  const auto density = evidence_density(problem, solver, true);
  infer::StoredDraws kept;
  infer::SampleOptions sample{
      .num_chains = 4, .num_warmup = 200, .num_draws = 250, .seed = options.seed, .num_threads = 1};
  const std::vector<GpOptimum> optima =
      find_optima(problem, solver,
                  {.num_starts = options.num_starts, .seed = options.seed, .with_prior = true});
  if (optima.empty())
    throw Error(ErrorCode::evaluation, "no start has an evidence that is a number", "",
                "--starts takes more starts");
  std::vector<double> start;
  const std::vector<Index> estimated = estimated_parameters(problem.covariance);
  for (const Index p : estimated)
    start.push_back(problem.covariance.parameters()[static_cast<std::size_t>(p)].to_free(
        optima[0].theta[static_cast<std::size_t>(p)]));
  infer::Mode mode{.position = start, .gradient = {}};
  sample.init = infer::points_near(*density, mode, 4, 0.3, options.seed);
  sample.stop = current_stop();
  const infer::RunResult run = infer::run_chains(*density, sample, kept);
  stop_if_asked();
  HyperPoints made;
  const Index total = kept.draws.num_draws() * kept.draws.num_chains(),
              step = std::max<Index>(1, total / kKept);
  std::vector<double> row(estimated.size());
  for (Index k = 0; k < total; k += step) {
    kept.draws.get(k % kept.draws.num_draws(), k / kept.draws.num_draws(), row);
    made.thetas.push_back(posterior.natural(row));
  }
  made.weights.assign(made.thetas.size(), 1.0 / static_cast<double>(made.thetas.size()));
  double r_hat = 0.0, ess = kInfinity;
  for (Index k = 0; k < ssize(estimated); ++k) {
    const diagnose::Convergence found = diagnose::convergence(diagnose::quantity(kept.draws, k));
    r_hat = std::max(r_hat, found.r_hat), ess = std::min(ess, found.ess_bulk);
  }
  made.notes.push_back(
      fmt::format("Averaged over {} draws of the hyperparameters: 4 chains of NUTS, R-hat at most "
                  "{:.3f}, effective sample size at least {:.0f}.",
                  made.thetas.size(), r_hat, ess));
  if (!(r_hat < 1.05))
    made.notes.emplace_back("The chains don't agree: don't rely on the averages.");
  if (!run.divergences.empty())
    made.notes.push_back(fmt::format("{} transitions diverged.", run.divergences.size()));
  return made;
}

HyperPoints hyper_cv(const GpProblem& problem, const OptimaOptions&) {
  const std::vector<Index> estimated = estimated_parameters(problem.covariance);
  const Index d = ssize(estimated);
  if (d > kMostCv)
    throw Error(ErrorCode::usage,
                fmt::format("a grid over {} hyperparameters has too many points", d), "--hyper",
                "--hyper eb; or state some: se(x, length = 2)");
  constexpr Index kSide = 9;
  Index total = 1;
  for (Index k = 0; k < d; ++k) total *= kSide;
  HyperPoints made{.thetas = {{}}, .weights = {1.0}};
  double best = -kInfinity;
  Index at_border = 0;
  for (Index point = 0; point < total; ++point) {
    stop_if_asked();
    std::vector<double> theta = centre_of(problem.covariance);
    Index border = 0;
    for (Index k = 0, left = point; k < d; ++k, left /= kSide) {
      const auto p = static_cast<std::size_t>(estimated[static_cast<std::size_t>(k)]);
      const CovarianceParameter& parameter = problem.covariance.parameters()[p];
      const double off =
          2.0 * parameter.kind.spread * (static_cast<double>(left % kSide) / 4.0 - 1.0);
      theta[p] = parameter.from_free(parameter.to_free(theta[p]) + off);
      if (left % kSide == 0 || left % kSide == kSide - 1) ++border;
    }
    const double score = leave_one_out(problem, theta);
    if (score > best) best = score, made.thetas[0] = theta, at_border = border;
  }
  if (!std::isfinite(best))
    throw Error(ErrorCode::evaluation,
                "no point of the grid has a leave-one-out density that is a number", "--hyper",
                "--hyper eb");
  made.notes.push_back(fmt::format(
      "The best of {} points of a grid by the leave-one-out log density, {:.4f}.", total, best));
  if (at_border > 0)
    made.notes.emplace_back("It is at the border of the grid: --hyper eb has no border so near.");
  return made;
}

void add_to_mixture(GpMoments& mixture, const GpMoments& part, double share) {
  if (mixture.mean.empty()) {
    mixture = part;
    return;
  }
  for (std::size_t k = 0; k < part.mean.size(); ++k) {
    const double off = part.mean[k] - mixture.mean[k];
    mixture.mean[k] += share * off;
    mixture.variance[k] +=
        share * (part.variance[k] - mixture.variance[k]) + share * (1.0 - share) * off * off;
  }
}

}  // namespace credo::models
