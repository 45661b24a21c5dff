// Conjugate-computation variational inference: the normal distribution q of the largest lower bound of the evidence [khan2017].
//
//   natural-gradient step by rho:  precision <- (1 - rho) precision + rho w,  shift <- (1 - rho) shift + rho (E log p' + w E f),  w = -E log p''
//
//   bound = sum E log p - KL(q || p),  KL = (tr B^-1 - N + alpha' E f + log det B) / 2
//
// At its end the bound is stationary in q, so that its derivatives are those with q held: tr((alpha alpha' - R) dK) / 2.
#include "base/error.hpp"
#include "base/stop.hpp"
#include "models/gp/outcomes/latent_normal.hpp"

namespace credo::models {
namespace {
using numerics::DenseMatrix;
constexpr int kMostSteps = 500;

struct CviState {
  std::unique_ptr<LatentNormal> q = {};
  std::vector<double> variances = {};
  bool has_converged = false;
};

class CviSolver final : public GpSolver {
 public:
  CviSolver(const GpProblem& problem, const GpOutcome& outcome) : prior_(problem, outcome) {}

  GpEvidence evidence(std::span<const double> theta, bool with_slopes) override {
    const DenseMatrix k = prior_.covariance(theta);
    CviState state = climb(theta, k);
    if (!state.has_converged) return {};
    GpEvidence made{.value = bound(theta, state)};
    if (with_slopes) made.slopes = slopes(theta, state);
    return made;
  }
  std::unique_ptr<GpPosterior> posterior(std::span<const double> theta) override {
    const DenseMatrix k = prior_.covariance(theta);
    CviState state = climb(theta, k);
    if (!state.has_converged)
      throw Error(ErrorCode::evaluation, "the variational steps did not converge", "--outcome",
                  "--outcome laplace or ep");
    return make_latent_posterior(prior_, theta, std::move(*state.q));
  }

 private:
  CviState climb(std::span<const double> theta, const DenseMatrix& k) const {
    const auto n = static_cast<std::size_t>(prior_.size());
    LatentSites sites{.precision = std::vector<double>(n, 0.0),
                      .shift = std::vector<double>(n, 0.0)};
    CviState state = state_of(k, sites);
    double step = 1.0, before = kInfinity;
    bool is_first = true;
    for (int round = 0; round < kMostSteps; ++round) {
      stop_if_asked();
      if (!state.q->is_defined) return state;
      LatentSites wanted = sites;
      const double change = proposal(theta, state, wanted);
      if (!std::isfinite(change) && !is_first) return state;
      if (has_settled(change, before)) {
        state.has_converged = true;
        return state;
      }
      if (is_first) wanted = first_sites(theta, state);
      if (change > before) step = std::max(0.05, 0.7 * step);
      before = change;
      for (std::size_t i = 0; i < n; ++i) {
        const double own = is_first ? 1.0 : step;
        sites.precision[i] += own * (wanted.precision[i] - sites.precision[i]);
        sites.shift[i] += own * (wanted.shift[i] - sites.shift[i]);
      }
      is_first = false;
      state = state_of(k, sites);
    }
    return state;
  }
  // Under the prior E exp(f) may be huge: the first sites are those of the likelihood's curvature at the prior's mean.
  LatentSites first_sites(std::span<const double> theta, const CviState& state) const {
    const GpOutcome& outcome = prior_.outcome;
    LatentSites made;
    for (std::size_t n = 0; n < state.variances.size(); ++n) {
      const auto at = outcome.family->at(outcome.sites[n], outcome.phi(theta), 0.0);
      made.precision.push_back(-at.second), made.shift.push_back(at.first);
    }
    return made;
  }
  CviState state_of(const DenseMatrix& k, const LatentSites& sites) const {
    CviState made{.q = std::make_unique<LatentNormal>(prior_, k, sites)};
    if (made.q->is_defined) made.variances = made.q->variances(k);
    return made;
  }
  // The sites after a step of 1; the largest change.
  double proposal(std::span<const double> theta, const CviState& state, LatentSites& wanted) const {
    const GpOutcome& outcome = prior_.outcome;
    double change = 0.0;
    for (std::size_t n = 0; n < state.variances.size(); ++n) {
      const double mean = state.q->mean[n], variance = state.variances[n];
      const numerics::NormalExpectations at = expected_log_likelihood(
          *outcome.family, outcome.sites[n], outcome.phi(theta), mean, variance);
      const double precision = std::max(0.0, -at.curvature), shift = at.slope + precision * mean;
      change = std::max({change, std::abs(precision - wanted.precision[n]) * variance,
                         std::abs(shift - wanted.shift[n]) * std::sqrt(variance)});
      if (!std::isfinite(precision + shift)) change = kInfinity;
      wanted.precision[n] = precision, wanted.shift[n] = shift;
    }
    return change;
  }
  double bound(std::span<const double> theta, const CviState& state) const {
    const GpOutcome& outcome = prior_.outcome;
    const LatentNormal& q = *state.q;
    double sum = -0.5 * q.log_determinant;
    for (std::size_t n = 0; n < state.variances.size(); ++n) {
      sum += expected_log_likelihood(*outcome.family, outcome.sites[n], outcome.phi(theta),
                                     q.mean[n], state.variances[n])
                 .value;
      // N - tr B^-1 = sum of precision times variance
      sum += 0.5 * (q.sites.precision[n] * state.variances[n] - q.alpha[n] * q.mean[n]);
    }
    return sum;
  }
  std::vector<double> slopes(std::span<const double> theta, CviState& state) const {
    const GpOutcome& outcome = prior_.outcome;
    const std::size_t num = outcome.family->parameters.size();
    const std::vector<double> a = state.q->alpha, mean = state.q->mean;
    const DenseMatrix r = state.q->take_r();
    std::vector<double> made = prior_.slopes(theta, [&](Index i, Index j) {
      return 0.5 * (a[static_cast<std::size_t>(i)] * a[static_cast<std::size_t>(j)] - r(i, j));
    });
    for (std::size_t n = 0; n < mean.size() && num > 0; ++n) {
      const auto own = expected_parameter_slopes(*outcome.family, outcome.sites[n],
                                                 outcome.phi(theta), mean[n], state.variances[n]);
      for (std::size_t p = 0; p < num; ++p)
        made[static_cast<std::size_t>(outcome.first_parameter) + p] += own[p];
    }
    return made;
  }

  LatentPrior prior_;
};
}  // namespace

std::unique_ptr<GpSolver> make_cvi_solver(const GpProblem& problem, const GpOutcome& outcome) {
  return std::make_unique<CviSolver>(problem, outcome);
}

}  // namespace credo::models
