#include "models/gp/outcomes/sampled.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "density/function_density.hpp"
#include "diagnose/convergence.hpp"
#include "infer/core/sample.hpp"
#include "infer/optimise/mode.hpp"
#include "models/gp/outcomes/latent_normal.hpp"
#include "numerics/linear_algebra/dense.hpp"

namespace credo::models {
namespace {
using numerics::DenseMatrix;
constexpr double kSampledRange = 12.0;

double add_jitter(DenseMatrix& k) {
  double sum = 0.0;
  for (Index i = 0; i < k.rows; ++i) sum += k(i, i);
  const double added = kSampledJitter * sum / static_cast<double>(k.rows);
  for (Index i = 0; i < k.rows; ++i) k(i, i) += added;
  return added;
}
std::vector<double> lower_times(const TiledFactor& l, std::span<const double> z) {
  std::vector<double> f(z.size(), 0.0);
  for (Index j = 0; j < l.size(); ++j)
    for (Index i = j; i < l.size(); ++i)
      f[static_cast<std::size_t>(i)] += *l.at(i, j) * z[static_cast<std::size_t>(j)];
  return f;
}

// NaN is the largest: it isn't swallowed by other numbers.
bool is_less_or_undefined(double a, double b) { return !std::isnan(a) && (std::isnan(b) || a < b); }

GpProblem with_one_thread(GpProblem problem) {
  problem.num_threads = 1;
  return problem;
}

// The joint density of hyperparameters and whitened values. One thread for each evaluation: chains run side by side.
class WhitenedGp {
 public:
  WhitenedGp(const GpProblem& problem, const GpOutcome& outcome)
      : problem_(with_one_thread(problem)),
        prior_(problem_, outcome),
        estimated_(estimated_parameters(problem.covariance)) {}

  Index num_hyper() const { return ssize(estimated_); }
  Index dimension() const { return num_hyper() + prior_.size(); }

  std::vector<double> theta(std::span<const double> at) const {
    std::vector<double> made = centre_of(covariance());
    for (std::size_t k = 0; k < estimated_.size(); ++k)
      made[static_cast<std::size_t>(estimated_[k])] = parameter(k).from_free(at[k]);
    return made;
  }
  std::unique_ptr<TiledFactor> factor(DenseMatrix k) const {
    add_jitter(k);
    auto made = std::make_unique<TiledFactor>(k.rows, prior_.team);
    for (Index j = 0; j < k.cols; ++j)
      for (Index i = j; i < k.rows; ++i) *made->at(i, j) = k(i, j);
    if (!made->factor()) made.reset();
    return made;
  }
  std::vector<double> values(std::span<const double> at) const {
    const auto l = factor(prior_.covariance(theta(at)));
    CREDO_ASSERT(l != nullptr, "draws have a density");
    return lower_times(*l, at.subspan(estimated_.size()));
  }

  double operator()(std::span<const double> at, std::span<double> gradient) const {
    stop_if_asked();
    const std::size_t d = estimated_.size();
    double value = 0.0;
    for (std::size_t k = 0; k < d; ++k) {
      const double centre = parameter(k).kind.transform == KernelTransform::positive
                                ? std::log(parameter(k).centre())
                                : 0.0;
      if (!(std::abs(at[k] - centre) <= kSampledRange)) return -kInfinity;
      const auto [log_prior, slope] = parameter(k).log_prior(at[k]);
      value += log_prior, gradient[k] = slope;
    }
    const std::vector<double> natural = theta(at);
    const auto l = factor(prior_.covariance(natural));
    if (l == nullptr) return -kInfinity;
    const std::span<const double> z = at.subspan(d);
    const std::vector<double> f = lower_times(*l, z);
    std::vector<double> g(f.size());
    const GpOutcome& outcome = prior_.outcome;
    for (std::size_t n = 0; n < f.size(); ++n) {
      const auto own = outcome.family->at(outcome.sites[n], outcome.phi(natural), f[n]);
      value += own.value - 0.5 * z[n] * z[n];
      g[n] = own.first;
    }
    for (Index j = 0; j < l->size(); ++j) {  // L' g - z
      double sum = -z[static_cast<std::size_t>(j)];
      for (Index i = j; i < l->size(); ++i) sum += *l->at(i, j) * g[static_cast<std::size_t>(i)];
      gradient[d + static_cast<std::size_t>(j)] = sum;
    }
    if (d > 0) add_hyper_slopes(natural, *l, z, f, g, gradient);
    return value;
  }

  const LatentPrior& prior() const { return prior_; }

 private:
  const Covariance& covariance() const { return prior_.problem.covariance; }
  const CovarianceParameter& parameter(std::size_t k) const {
    return covariance().parameters()[static_cast<std::size_t>(estimated_[k])];
  }
  // The slope of L is g z'; then that of K, the jitter with it, and of the parameters.
  void add_hyper_slopes(std::span<const double> natural, const TiledFactor& l,
                        std::span<const double> z, std::span<const double> f,
                        std::span<const double> g, std::span<double> gradient) const {
    const Index n = l.size();
    std::vector<double> of_l(static_cast<std::size_t>(n * n + 32)),
        of_k = of_l, scratch(static_cast<std::size_t>(numerics::cholesky_adjoint_scratch(n) + 32));
    for (Index j = 0; j < n; ++j)
      for (Index i = j; i < n; ++i)
        of_l[static_cast<std::size_t>(i + j * n)] =
            g[static_cast<std::size_t>(i)] * z[static_cast<std::size_t>(j)];
    numerics::cholesky_adjoint(1, n, {l.at(0, 0), 1, n}, {of_l.data(), 1, n}, of_k.data(),
                               scratch.data());
    double trace = 0.0;
    for (Index i = 0; i < n; ++i) trace += of_k[static_cast<std::size_t>(i + i * n)];
    const double jitter = kSampledJitter * trace / static_cast<double>(n);
    std::vector<double> slopes = prior_.slopes(natural, [&](Index i, Index j) {
      const double own = of_k[static_cast<std::size_t>(i + j * n)];
      return i == j ? own + jitter : 0.5 * own;
    });
    add_family_slopes(natural, f, slopes);
    for (std::size_t k = 0; k < estimated_.size(); ++k) {
      const auto p = static_cast<std::size_t>(estimated_[k]);
      gradient[k] += slopes[p] * parameter(k).slope(natural[p]);
    }
  }
  void add_family_slopes(std::span<const double> natural, std::span<const double> f,
                         std::vector<double>& slopes) const {
    const GpOutcome& outcome = prior_.outcome;
    const std::size_t num = outcome.family->parameters.size();
    std::array<OutcomeDual, kMostOutcomeParameters> phi;
    for (std::size_t p = 0; p < num; ++p)
      phi[p] = OutcomeDual::variable(outcome.phi(natural)[p], static_cast<int>(p));
    for (std::size_t n = 0; n < f.size() && num > 0; ++n) {
      const auto at = outcome.family->by_parameters(outcome.sites[n], phi.data(), f[n]);
      for (std::size_t p = 0; p < num; ++p)
        slopes[static_cast<std::size_t>(outcome.first_parameter) + p] += at.value.d[p];
    }
  }

  GpProblem problem_;
  LatentPrior prior_;
  std::vector<Index> estimated_;
};

// The process given its values at the rows, of one draw.
class SampledSolver final : public GpSolver {
 public:
  SampledSolver(std::shared_ptr<const WhitenedGp> gp, std::vector<std::vector<double>> values)
      : gp_(std::move(gp)), values_(std::move(values)) {}
  GpEvidence evidence(std::span<const double>, bool) override { return {}; }
  std::unique_ptr<GpPosterior> posterior(std::span<const double> theta) override {
    const auto num = static_cast<std::size_t>(gp_->prior().problem.covariance.num_parameters());
    CREDO_ASSERT(theta.size() == num + 1, "the number of the draw stands behind its parameters");
    const std::vector<double>& f = values_[static_cast<std::size_t>(theta[num])];
    const std::span<const double> own = theta.first(num);
    auto factor = gp_->factor(gp_->prior().covariance(own));
    CREDO_ASSERT(factor != nullptr, "draws have a density");
    return make_latent_posterior(gp_->prior(), own, LatentNormal(std::move(factor), f));
  }

 private:
  std::shared_ptr<const WhitenedGp> gp_;
  std::vector<std::vector<double>> values_;  // f of each draw
};
}  // namespace

std::unique_ptr<density::LogDensity> sampled_density(const GpProblem& problem,
                                                     const GpOutcome& outcome) {
  auto gp = std::make_shared<const WhitenedGp>(problem, outcome);
  return density::make_density(
      gp->dimension(),
      [gp](std::span<const double> at, std::span<double> gradient) { return (*gp)(at, gradient); });
}

SampledGp sample_gp(const GpProblem& problem, const GpOutcome& outcome,
                    const SampledGpOptions& options) {
  if (problem.num_rows() > kMostSampledRows)
    throw Error(ErrorCode::usage,
                fmt::format("draws with {} rows take long: each step factors a dense matrix",
                            problem.num_rows()),
                "--outcome", "--outcome ep, laplace or cvi; --solver svgp");
  const auto gp = std::make_shared<const WhitenedGp>(problem, outcome);
  const auto density = sampled_density(problem, outcome);
  infer::SampleOptions sample{.num_chains = options.num_chains,
                              .num_warmup = options.num_warmup,
                              .num_draws = options.num_draws,
                              .seed = options.seed,
                              .num_threads = problem.num_threads};
  sample.adapt.step_size.target_accept = 0.9;
  infer::Mode start{.position = std::vector<double>(static_cast<std::size_t>(gp->dimension()), 0.0),
                    .gradient = {}};
  const std::vector<Index> estimated = estimated_parameters(problem.covariance);
  const std::vector<double> centre = centre_of(problem.covariance);
  for (std::size_t k = 0; k < estimated.size(); ++k) {
    const auto p = static_cast<std::size_t>(estimated[k]);
    start.position[k] = problem.covariance.parameters()[p].to_free(centre[p]);
  }
  sample.init = infer::points_near(*density, start, options.num_chains, 0.3, options.seed);
  sample.stop = current_stop();
  infer::StoredDraws kept;
  const infer::RunResult run = infer::run_chains(*density, sample, kept);
  stop_if_asked();
  SampledGp made;
  made.num_divergences = ssize(run.divergences);
  made.r_hat = 0.0, made.ess = kInfinity;
  for (Index k = 0; k < gp->dimension(); ++k) {
    const diagnose::Convergence found = diagnose::convergence(diagnose::quantity(kept.draws, k));
    made.r_hat = std::max(made.r_hat, found.r_hat, is_less_or_undefined);
    made.ess = -std::max(-made.ess, -found.ess_bulk, is_less_or_undefined);
  }
  std::vector<std::vector<double>> values;
  std::vector<double> row(static_cast<std::size_t>(gp->dimension()));
  const Index total = kept.draws.num_draws() * kept.draws.num_chains(),
              step = std::max<Index>(1, total / options.num_kept);
  for (Index k = 0; k < total; k += step) {
    kept.draws.get(k % kept.draws.num_draws(), k / kept.draws.num_draws(), row);
    made.points.thetas.push_back(gp->theta(row));
    made.points.thetas.back().push_back(static_cast<double>(values.size()));
    values.push_back(gp->values(row));
  }
  made.points.weights.assign(values.size(), 1.0 / static_cast<double>(values.size()));
  made.points.notes.push_back(fmt::format(
      "Averaged over {} draws of the process and its hyperparameters: {} chains of NUTS, R-hat at "
      "most {:.3f}, effective sample size at least {:.0f}. {:.0e} of the variance of the process "
      "is "
      "added to it.",
      values.size(), options.num_chains, made.r_hat, made.ess, kSampledJitter));
  if (!(made.r_hat < 1.05) || std::isnan(made.ess))
    made.points.notes.emplace_back("The chains don't agree: don't rely on the averages.");
  if (made.num_divergences > 0)
    made.points.notes.push_back(fmt::format("{} transitions diverged.", made.num_divergences));
  made.solver = std::make_unique<SampledSolver>(gp, std::move(values));
  return made;
}

}  // namespace credo::models
