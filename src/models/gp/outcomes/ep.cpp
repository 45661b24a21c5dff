// Expectation propagation: each row's factor is replaced by a normal one, such that cavity times factor and cavity times normal factor have
// the same mass, mean and variance [rasmussen2006, section 3.6 and algorithm 5.2; murphy2023, 10.7].
//
//   cavity of n: 1/c = 1/v_n - precision_n;  tilted: mass Z_n, mean m, variance s;  precision_n = 1/s - 1/c,  shift_n = m/s - cavity mean/c
//   log Z = sum (log Z_n - log mass of the normal factor) + shift' E f / 2 - log det B / 2
//
// All sites are updated from the same q, a share kDamping of the way, which has the fixed points of one update at a time. log Z is stationary
// there in the sites, so that its derivatives are those with the sites held: tr((alpha alpha' - R) dK) / 2.
#include "base/error.hpp"
#include "base/stop.hpp"
#include "models/gp/outcomes/latent_normal.hpp"

namespace credo::models {
namespace {
using numerics::DenseMatrix;
constexpr int kMostRounds = 500;
constexpr double kDamping = 0.8;

struct SiteCavity {
  double mean = 0.0, variance = 0.0;
};
struct EpState {
  std::unique_ptr<LatentNormal> q = {};
  std::vector<double> variances = {};
  bool has_converged = false;
};
SiteCavity cavity_of(const EpState& state, std::size_t n) {
  const LatentNormal& q = *state.q;
  const double v = state.variances[n], rest = 1.0 - v * q.sites.precision[n];
  return {.mean = (q.mean[n] - v * q.sites.shift[n]) / rest, .variance = v / rest};
}

// The prior has no variance at the row, as that of brownian at 0: f is its mean there, and the site stays flat.
bool is_known(const EpState& state, std::size_t n) {
  return state.variances[n] == 0.0 && state.q->sites.precision[n] == 0.0;
}

class EpSolver final : public GpSolver {
 public:
  EpSolver(const GpProblem& problem, const GpOutcome& outcome) : prior_(problem, outcome) {}

  GpEvidence evidence(std::span<const double> theta, bool with_slopes) override {
    const DenseMatrix k = prior_.covariance(theta);
    EpState state = run(theta, k);
    if (!state.has_converged) return {};
    GpEvidence made{.value = log_mass(theta, state)};
    if (with_slopes) made.slopes = slopes(theta, state);
    return made;
  }
  std::unique_ptr<GpPosterior> posterior(std::span<const double> theta) override {
    const DenseMatrix k = prior_.covariance(theta);
    EpState state = run(theta, k);
    if (!state.has_converged)
      throw Error(ErrorCode::evaluation,
                  "expectation propagation did not converge at these hyperparameters", "--outcome",
                  "--outcome laplace or cvi");
    return make_latent_posterior(prior_, theta, std::move(*state.q));
  }

 private:
  EpState run(std::span<const double> theta, const DenseMatrix& k) const {
    const auto n = static_cast<std::size_t>(prior_.size());
    LatentSites sites{.precision = std::vector<double>(n, 0.0),
                      .shift = std::vector<double>(n, 0.0)};
    double damping = kDamping, before = kInfinity;
    EpState state;
    for (int round = 0; round < kMostRounds; ++round) {
      stop_if_asked();
      state.q = std::make_unique<LatentNormal>(prior_, k, sites);
      if (!state.q->is_defined) return state;
      state.variances = state.q->variances(k);
      const double change = update(theta, state, damping, sites);
      if (!std::isfinite(change)) return state;
      if (has_settled(change, before)) {
        state.has_converged = true;
        return state;
      }
      if (round > 20 && change > before) damping = std::max(0.1, 0.9 * damping);
      before = change;
    }
    return state;
  }
  // New sites; the largest change of a site as a share of the precision of its q.
  double update(std::span<const double> theta, const EpState& state, double damping,
                LatentSites& sites) const {
    const GpOutcome& outcome = prior_.outcome;
    const auto n = static_cast<Index>(sites.shift.size());
    std::vector<double> changes(sites.shift.size(), 0.0);
    prior_.team.for_each((n + 63) / 64, [&](Index piece, Index) {
      for (Index row = piece * 64; row < std::min(n, (piece + 1) * 64); ++row) {
        const auto i = static_cast<std::size_t>(row);
        if (is_known(state, i)) continue;
        const SiteCavity cavity = cavity_of(state, i);
        const numerics::TiltedNormal tilted = tilted_site(
            *outcome.family, outcome.sites[i], outcome.phi(theta), cavity.mean, cavity.variance);
        // log-concave factors have no negative precisions, except by the rounding of quadrature
        const double precision = std::max(0.0, 1.0 / tilted.variance - 1.0 / cavity.variance),
                     shift = tilted.mean / tilted.variance - cavity.mean / cavity.variance;
        const double up = precision - sites.precision[i], right = shift - sites.shift[i],
                     v = state.variances[i];
        changes[i] = std::max(std::abs(up) * v, std::abs(right) * std::sqrt(v));
        if (!std::isfinite(up + right)) changes[i] = kInfinity;
        sites.precision[i] += damping * up, sites.shift[i] += damping * right;
      }
    });
    return std::ranges::max(changes);
  }
  double log_mass(std::span<const double> theta, const EpState& state) const {
    const GpOutcome& outcome = prior_.outcome;
    const LatentNormal& q = *state.q;
    double sum = -0.5 * q.log_determinant;
    for (std::size_t n = 0; n < q.mean.size(); ++n) {
      if (is_known(state, n)) {
        sum += outcome.family->at(outcome.sites[n], outcome.phi(theta), q.mean[n]).value;
        continue;
      }
      const SiteCavity cavity = cavity_of(state, n);
      sum += tilted_site(*outcome.family, outcome.sites[n], outcome.phi(theta), cavity.mean,
                         cavity.variance)
                 .log_mass -
             numerics::tilted_by_normal(cavity.mean, cavity.variance, q.sites.shift[n],
                                        q.sites.precision[n])
                 .log_mass +
             0.5 * q.sites.shift[n] * q.mean[n];
    }
    return sum;
  }
  std::vector<double> slopes(std::span<const double> theta, EpState& state) const {
    const GpOutcome& outcome = prior_.outcome;
    const std::size_t num = outcome.family->parameters.size();
    std::vector<double> by_family(num, 0.0);
    std::array<OutcomeDual, kMostOutcomeParameters> phi;
    for (std::size_t p = 0; p < num; ++p)
      phi[p] = OutcomeDual::variable(outcome.phi(theta)[p], static_cast<int>(p));
    for (std::size_t n = 0; n < state.variances.size() && num > 0; ++n) {
      if (is_known(state, n)) {
        const auto at =
            outcome.family->by_parameters(outcome.sites[n], phi.data(), state.q->mean[n]);
        for (std::size_t p = 0; p < num; ++p) by_family[p] += at.value.d[p];
        continue;
      }
      const SiteCavity cavity = cavity_of(state, n);
      const auto own = tilted_parameter_slopes(*outcome.family, outcome.sites[n],
                                               outcome.phi(theta), cavity.mean, cavity.variance);
      for (std::size_t p = 0; p < num; ++p) by_family[p] += own[p];
    }
    const std::vector<double> a = state.q->alpha;
    const DenseMatrix r = state.q->take_r();
    std::vector<double> made = prior_.slopes(theta, [&](Index i, Index j) {
      return 0.5 * (a[static_cast<std::size_t>(i)] * a[static_cast<std::size_t>(j)] - r(i, j));
    });
    for (std::size_t p = 0; p < num; ++p)
      made[static_cast<std::size_t>(outcome.first_parameter) + p] += by_family[p];
    return made;
  }

  LatentPrior prior_;
};
}  // namespace

std::unique_ptr<GpSolver> make_ep_solver(const GpProblem& problem, const GpOutcome& outcome) {
  return std::make_unique<EpSolver>(problem, outcome);
}

}  // namespace credo::models
