// One iteration, with l1 = q / g at draws of the posterior, l2 at draws of g, s1 + s2 = 1 their shares:
//
//   r' = [Σ l2 / (s1 l2 + s2 r) / n2] / [Σ 1 / (s1 l1 + s2 r) / n1]
#include "infer/evidence/bridge.hpp"

#include <fmt/format.h>

#include "diagnose/convergence.hpp"
#include "infer/adapt/welford.hpp"
#include "infer/evidence/points.hpp"
#include "infer/gibbs/site_sweep.hpp"
#include "infer/smc/resampling.hpp"
#include "numerics/elementary.hpp"
#include "numerics/log_sum.hpp"

namespace credo::infer {
namespace {
constexpr double kLogOfHalf = -0.69314718055994530942, kLogNormalConstant = 0.91893853320467274178;

Error too_few(Index num_draws, Index dimension) {
  return Error(ErrorCode::usage,
               fmt::format("{} draws are too few for bridge sampling in {} dimensions", num_draws,
                           dimension),
               "bridge", fmt::format("draw at least {}", 4 * (dimension + 10)));
}

// The normal distribution that the first half of each chain is fitted by.
class WarpDistribution {
 public:
  WarpDistribution(const density::Draws& draws, Index num_fitted)
      : dimension_(draws.num_quantities()), metric_(MetricKind::dense, dimension_) {
    Welford moments(MetricKind::dense, dimension_);
    std::vector<double> row(static_cast<std::size_t>(dimension_));
    for (Index c = 0; c < draws.num_chains(); ++c)
      for (Index s = 0; s < num_fitted; ++s) {
        draws.get(s, c, row);
        moments.add(row);
      }
    mean_.assign(moments.mean().begin(), moments.mean().end());
    if (!metric_.set_inverse(moments.with_jitter(0.0)))
      throw Error(ErrorCode::evaluation,
                  "the draws have no covariance: in some direction they don't vary", "bridge",
                  "draw more, or use another method");
    log_determinant_ = 0.5 * log_determinant(metric_.inverse(), dimension_);
  }

  double log_determinant_of_root() const { return log_determinant_; }
  // mean + sign · L z
  void place(std::span<const double> z, double sign, std::span<double> x) const {
    metric_.shape_move(z, x);
    for (std::size_t d = 0; d < x.size(); ++d) x[d] = mean_[d] + sign * x[d];
  }
  void standardise(std::span<double> x) const {
    for (std::size_t d = 0; d < x.size(); ++d) x[d] -= mean_[d];
    metric_.unshape_move(x);
  }

 private:
  Index dimension_;
  Metric metric_;
  std::vector<double> mean_;
  double log_determinant_ = 0.0;
};

// log of the warped ratio l at standardised points: ½ |L| (q(m + L z) + q(m - L z)) / N(z; 0, I).
std::vector<double> log_ratios(PointValues& values, const WarpDistribution& proposal,
                               std::span<const double> z, Index dimension) {
  const auto n = static_cast<std::size_t>(dimension), count = z.size() / n;
  std::vector<double> above(z.size()), below(z.size()), ratios(count);
  for (std::size_t k = 0; k < count; ++k) {
    proposal.place(z.subspan(k * n, n), 1.0, std::span(above).subspan(k * n, n));
    proposal.place(z.subspan(k * n, n), -1.0, std::span(below).subspan(k * n, n));
  }
  const std::vector<double> up = values.at(above), down = values.at(below);
  for (std::size_t k = 0; k < count; ++k) {
    double log_normal = 0.0;
    for (const double x : z.subspan(k * n, n)) log_normal -= 0.5 * x * x + kLogNormalConstant;
    ratios[k] = kLogOfHalf + proposal.log_determinant_of_root() +
                numerics::log_sum_exp(std::array{up[k], down[k]}) - log_normal;
  }
  return ratios;
}

struct Ratios {
  std::vector<double> posterior, proposal;  // log l, less `shift`
  double shift = 0.0;
  double share = 0.5;  // s1
};

double next_ratio(const Ratios& l, double r) {
  double above = 0.0, below = 0.0;
  for (const double x : l.proposal) {
    const double value = numerics::exp(x);
    above += value / (l.share * value + (1.0 - l.share) * r);
  }
  for (const double x : l.posterior)
    below += 1.0 / (l.share * numerics::exp(x) + (1.0 - l.share) * r);
  return (above / static_cast<double>(l.proposal.size())) /
         (below / static_cast<double>(l.posterior.size()));
}

// Error of both means, over their expectations; the posterior's mean by its autocorrelation.
double relative_error(const Ratios& l, double r, Index num_draws, Index num_chains) {
  std::vector<double> posterior;
  for (const double x : l.posterior)
    posterior.push_back(1.0 / (l.share * numerics::exp(x) + (1.0 - l.share) * r));
  double sum = 0.0, squares = 0.0;
  for (const double x : l.proposal) {
    const double value = numerics::exp(x), f = value / (l.share * value + (1.0 - l.share) * r);
    sum += f, squares += f * f;
  }
  const double n = static_cast<double>(l.proposal.size()), mean = sum / n;
  const double first = (squares / n - mean * mean) / (n * mean * mean);
  const diagnose::Chains chains{posterior, num_draws, num_chains};
  if (diagnose::is_degenerate(posterior)) return std::sqrt(first);  // g is the posterior
  const double second = diagnose::mcse_mean(chains) / diagnose::mean(posterior);
  return std::sqrt(first + second * second);
}

// The second half of each chain, standardised: chain by chain.
std::vector<double> standardised_rest(const density::Draws& draws, Index first,
                                      const WarpDistribution& proposal) {
  const auto n = static_cast<std::size_t>(draws.num_quantities());
  std::vector<double> all, row(n);
  for (Index c = 0; c < draws.num_chains(); ++c)
    for (Index s = first; s < draws.num_draws(); ++s) {
      draws.get(s, c, row);
      proposal.standardise(row);
      all.insert(all.end(), row.begin(), row.end());
    }
  return all;
}
}  // namespace

BridgeEvidence bridge_evidence(const density::LogDensity& density, const density::Draws& draws,
                               const BridgeOptions& options) {
  require_continuous(density, "bridge sampling");
  const Index dimension = density.dimension(), half = draws.num_draws() / 2;
  if (half * draws.num_chains() < 2 * (dimension + 10))
    throw too_few(draws.num_draws() * draws.num_chains(), dimension);
  const WarpDistribution proposal(draws, half);
  const std::vector<double> z = standardised_rest(draws, half, proposal);
  std::vector<double> proposed(z.size());
  Rng rng({.seed = options.seed, .purpose = purpose::kWalker, .chain = 0, .iteration = 0});
  for (double& x : proposed) x = rng.normal();
  PointValues values(density);
  Ratios l{.posterior = log_ratios(values, proposal, z, dimension),
           .proposal = log_ratios(values, proposal, proposed, dimension)};
  l.shift = *std::max_element(l.posterior.begin(), l.posterior.end());
  for (auto* all : {&l.posterior, &l.proposal})
    for (double& x : *all) x -= l.shift;
  const Index num_draws = draws.num_draws() - half, num_chains = draws.num_chains();
  const double ess = diagnose::ess_mean({l.posterior, num_draws, num_chains});
  const double effective = std::isnan(ess) ? static_cast<double>(l.posterior.size()) : ess;
  l.share = effective / (effective + static_cast<double>(l.proposal.size()));
  BridgeEvidence found{.evidence = {}, .r_hat = 1.0};
  for (Index d = 0; d < dimension; ++d)
    found.r_hat = std::max(found.r_hat, diagnose::r_hat(diagnose::quantity(draws, d)));
  found.num_evaluations = values.num_evaluations();
  double log_r =
      numerics::log_sum_exp(l.proposal) - numerics::log(static_cast<double>(l.proposal.size()));
  while (!found.converged && found.num_iterations < options.max_iterations) {
    const double next = numerics::log(next_ratio(l, numerics::exp(log_r)));
    found.converged = std::abs(next - log_r) < options.tolerance;
    log_r = next;
    ++found.num_iterations;
  }
  found.evidence = {.value = log_r + l.shift,
                    .error = relative_error(l, numerics::exp(log_r), num_draws, num_chains)};
  found.modes = search_unseen_modes(density, draws, found.evidence, {.seed = options.seed});
  found.num_evaluations += found.modes.num_evaluations;
  if (found.r_hat > kMostBridgeRHat || found.modes.unseen) found.evidence.error = kInfinity;
  return found;
}

}  // namespace credo::infer
