#include "infer/variational/bound.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "base/stop.hpp"
#include "infer/core/vectors.hpp"
#include "infer/gibbs/site_sweep.hpp"
#include "infer/mcmc/hamiltonian/metric.hpp"
#include "infer/optimise/mode.hpp"
#include "infer/optimise/starts.hpp"

namespace credo::infer {
namespace {
constexpr Index kFirstDraws = 16;        // draws of each start
constexpr double kFirstVariance = 0.01;  // that a start begins with
constexpr double kTolerance = 1e-6;      // of the gradient
enum class BoundStream : std::uint32_t {
  fixed = 1'000'001,
  fresh = 1'000'002
};  // no chains of a run

Rng stream_of(std::uint64_t seed, BoundStream which) {
  return Rng({.seed = seed,
              .purpose = purpose::kWalker,
              .chain = static_cast<std::uint32_t>(which),
              .iteration = 0});
}

Error no_normal_distribution(const std::string& why) {
  return {ErrorCode::evaluation, why, "elbo",
          "the density ends where a normal distribution of the unconstrained values doesn't: "
          "declare the "
          "range of "
          "its parameters, or use another method"};
}

// Draws of a distribution at which a density is evaluated, all in one batch.
class DistributionRequests {
 public:
  DistributionRequests(const density::LogDensity& of, std::size_t count, bool with_gradient)
      : dimension_(static_cast<std::size_t>(of.dimension())),
        evaluator_(of.make_evaluator()),
        points_(count * dimension_),
        gradients_(with_gradient ? count * dimension_ : 0),
        requests_(count) {
    for (density::Request& request : requests_) batch_.push_back(&request);
  }
  std::span<const density::Request> ask(NormalDistribution& distribution,
                                        std::span<const double> draws) {
    for (std::size_t s = 0; s < requests_.size(); ++s) {
      const std::span<double> x = part(points_, s);
      distribution.place(draws.subspan(s * dimension_, dimension_), x);
      requests_[s] = {.position = x, .gradient = {}, .status = {}};
      if (!gradients_.empty()) requests_[s].gradient = part(gradients_, s);
    }
    evaluator_->evaluate(gradients_.empty() ? density::Want::value : density::Want::gradient,
                         batch_);
    return requests_;
  }
  void use_threads(Index num_threads) { evaluator_->use_threads(num_threads); }

 private:
  std::span<double> part(std::vector<double>& of, std::size_t s) const {
    return std::span(of).subspan(s * dimension_, dimension_);
  }
  std::size_t dimension_;
  std::unique_ptr<density::Evaluator> evaluator_;
  std::vector<double> points_, gradients_;
  std::vector<density::Request> requests_;
  std::vector<density::Request*> batch_;
};

class BoundEvaluator final : public density::Evaluator {
 public:
  BoundEvaluator(const density::LogDensity& of, NormalDistribution distribution,
                 std::span<const double> draws)
      : distribution_(std::move(distribution)),
        draws_(draws),
        dimension_(static_cast<std::size_t>(of.dimension())),
        requests_(of, draws.size() / std::max<std::size_t>(1, dimension_), true) {}

  void evaluate(density::Want want, std::span<density::Request* const> batch) override {
    CREDO_ASSERT(want == density::Want::value || want == density::Want::gradient,
                 "a bound has values and gradients");
    for (density::Request* request : batch) answer(*request);
  }
  void use_threads(Index num_threads) override { requests_.use_threads(num_threads); }

 private:
  void answer(density::Request& request) {
    distribution_.move_to(request.position);
    const std::span<const density::Request> at = requests_.ask(distribution_, draws_);
    request.log_density = 0.0;
    std::fill(request.gradient.begin(), request.gradient.end(), 0.0);
    for (std::size_t s = 0; s < at.size(); ++s) {
      request.status = at[s].status;
      if (!request.status.ok()) {
        request.log_density = -kInfinity;
        return;
      }
      request.log_density += at[s].log_density;
      if (!request.gradient.empty())
        distribution_.pull_back(draws_.subspan(s * dimension_, dimension_), at[s].gradient,
                                request.gradient);
    }
    const double count = static_cast<double>(at.size());
    request.log_density = request.log_density / count + distribution_.log_root_determinant();
    for (double& slope : request.gradient) slope /= count;
    if (!request.gradient.empty()) distribution_.add_slope_of_root(request.gradient);
  }

  NormalDistribution distribution_;
  std::span<const double> draws_;
  std::size_t dimension_;
  DistributionRequests requests_;
};

// A distribution that was climbed to, with the bound by the fixed draws.
struct FittedDistribution {
  NormalDistribution distribution;
  double log_density = -kInfinity;
  bool converged = false;
  Index num_evaluations = 0;
};

FittedDistribution climb(const density::LogDensity& density, NormalDistribution distribution,
                         std::vector<double> draws, Index max_iterations) {
  const FixedDrawBound bound(density, distribution, std::move(draws));
  const std::vector<double> begin(static_cast<std::size_t>(distribution.num_parameters()), 0.0);
  const Mode mode =
      find_mode(bound, {.max_iterations = max_iterations, .tolerance = kTolerance, .start = begin});
  distribution.move_to(mode.position);
  return {std::move(distribution), mode.log_density, mode.converged,
          mode.num_evaluations * bound.num_draws()};
}

Metric diagonal(std::span<const double> variances) {
  Metric metric(MetricKind::diagonal, ssize(variances));
  if (!metric.set_inverse(variances))
    throw no_normal_distribution("the best normal distribution has no width in some direction");
  return metric;
}

// The best diagonal distribution over climbs from several starts.
FittedDistribution first_distribution(const density::LogDensity& density,
                                      const BoundOptions& options) {
  std::optional<FittedDistribution> best;
  std::string refusal;
  Index num_evaluations = 0;
  const Metric units =
      diagonal(std::vector<double>(static_cast<std::size_t>(density.dimension()), kFirstVariance));
  const std::vector<double> draws =
      balanced_draws(kFirstDraws, density.dimension(), CovarianceShape::diagonal, options.seed);
  for (std::vector<double>& start : independent_starts(density, options.num_starts, options.seed)) {
    stop_if_asked();
    try {
      FittedDistribution found =
          climb(density, {CovarianceShape::diagonal, std::move(start), units}, draws,
                options.max_iterations);
      num_evaluations += found.num_evaluations;
      if (!best || found.log_density > best->log_density) best = std::move(found);
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

Index num_fixed_draws(Index dimension) { return 500 + 20 * dimension; }

// Initial root of the distribution's covariance: with a full one that of the curvature at the mean, if it is peaked.
Metric units_at(const density::LogDensity& density, const NormalDistribution& distribution,
                CovarianceShape shape) {
  if (shape == CovarianceShape::full) {
    Metric metric(MetricKind::dense, density.dimension());
    try {
      if (metric.set_inverse(inverse_hessian(density, distribution.mean()))) return metric;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::evaluation) throw;
    }
  }
  return diagonal(distribution.variances());
}

// The best fit from the first distribution, or from narrower ones if its draws have no density.
FittedDistribution best_distribution(const density::LogDensity& density,
                                     const FittedDistribution& first, const BoundOptions& options) {
  constexpr double kNarrower = 0.25;  // in standard deviations
  constexpr int kMostTimes = 4;
  Metric units = units_at(density, first.distribution, options.covariance);
  const std::vector<double> draws =
      balanced_draws(num_fixed_draws(density.dimension()), density.dimension(),
                     CovarianceShape::full, options.seed);
  for (int times = 0; true; ++times) {
    try {
      return climb(density, {options.covariance, first.distribution.mean(), units}, draws,
                   options.max_iterations);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::evaluation) throw;
      if (times == kMostTimes)
        throw no_normal_distribution("draws around the best start have no density");
    }
    std::vector<double> narrower(units.inverse().begin(), units.inverse().end());
    for (double& c : narrower) c *= kNarrower * kNarrower;
    if (!units.set_inverse(narrower)) throw no_normal_distribution("its width vanishes");
  }
}

LogEvidence bound_by_new_draws(const density::LogDensity& density, NormalDistribution distribution,
                               const BoundOptions& options) {
  constexpr Index kBatch = 100;
  const auto n = static_cast<std::size_t>(distribution.dimension());
  DistributionRequests requests(density, kBatch, false);
  std::vector<double> z(kBatch * n), gaps;
  Rng rng = stream_of(options.seed, BoundStream::fresh);
  Index num_without = 0;
  while (ssize(gaps) < options.num_fresh) {
    stop_if_asked();
    for (double& v : z) v = rng.normal();
    std::size_t s = 0;
    for (const density::Request& at : requests.ask(distribution, z)) {
      num_without += at.status.ok() ? 0 : 1;
      gaps.push_back(at.log_density - distribution.log_density(std::span(z).subspan(n * s++, n)));
    }
  }
  if (num_without > 0)
    throw no_normal_distribution(fmt::format(
        "{} of {} draws of the best normal distribution have no density, so that its bound is "
        "minus infinity",
        num_without, gaps.size()));
  const double count = static_cast<double>(gaps.size());
  const double mean = std::accumulate(gaps.begin(), gaps.end(), 0.0) / count;
  double squares = 0.0;
  for (const double gap : gaps) squares += (gap - mean) * (gap - mean);
  return {.value = mean, .error = std::sqrt(squares / (count - 1.0) / count)};
}

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
                "elbo", "add --covariance diagonal");
}
}  // namespace

std::vector<double> balanced_draws(Index num_draws, Index dimension, CovarianceShape shape,
                                   std::uint64_t seed) {
  const auto n = static_cast<std::size_t>(dimension);
  const auto kind = shape == CovarianceShape::full ? MetricKind::dense : MetricKind::diagonal;
  std::vector<double> draws(static_cast<std::size_t>(num_draws) * n),
      moments(kind == MetricKind::dense ? n * n : n, 0.0);
  Rng rng = stream_of(seed, BoundStream::fixed);
  const auto at = [&](std::size_t s) { return std::span(draws).subspan(s * n, n); };
  const std::size_t num_pairs = static_cast<std::size_t>(num_draws) / 2;
  for (std::size_t s = 0; s < num_pairs; ++s) {
    for (double& z : at(s)) z = rng.normal();
    for (std::size_t j = 0; j < n; ++j) {
      const double scaled = at(s)[j] / static_cast<double>(num_pairs);
      if (kind == MetricKind::dense)
        add(std::span(moments).subspan(j * n, n), scaled, at(s));
      else
        moments[j] += scaled * at(s)[j];
    }
  }
  Metric metric(kind, dimension);
  const bool is_positive = metric.set_inverse(moments);
  CREDO_ASSERT(is_positive, "there are at least as many pairs as dimensions");
  for (std::size_t s = 0; is_positive && s < num_pairs; ++s) {
    metric.unshape_move(at(s));
    for (std::size_t d = 0; d < n; ++d) at(num_pairs + s)[d] = -at(s)[d];
  }
  return draws;
}

std::unique_ptr<density::Evaluator> FixedDrawBound::make_evaluator() const {
  return std::make_unique<BoundEvaluator>(of_, distribution_, draws_);
}

BestNormal maximise_bound(const density::LogDensity& density, const BoundOptions& options) {
  require_boundable(density, options);
  const FittedDistribution first = first_distribution(density, options);
  FittedDistribution best = best_distribution(density, first, options);
  stop_if_asked();
  const LogEvidence bound = bound_by_new_draws(density, best.distribution, options);
  return {std::move(best.distribution), bound, best.converged,
          first.num_evaluations + best.num_evaluations + options.num_fresh};
}

}  // namespace credo::infer
