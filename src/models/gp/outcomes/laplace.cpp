// Laplace's approximation: the normal distribution at the posterior's mode, with the curvature there [rasmussen2006, algorithms 3.1 and 5.1].
//
//   Newton: b = W f + log p'(f), alpha = b - R K b, f = K alpha;  log Z = log p(y | f) - alpha' f / 2 - log det B / 2
//
//   d log Z / dtheta = tr((alpha alpha' - R) dK) / 2 + v' dK g,  g = log p'(f),  v = s - R K s,  s = diag(Sigma) log p''' / 2
//
// The second part is how the mode moves. W = -log p'' has to be positive: log-concave likelihoods.
#include "base/error.hpp"
#include "base/stop.hpp"
#include "models/gp/outcomes/latent_normal.hpp"

namespace credo::models {
namespace {
using numerics::DenseMatrix;
constexpr int kMostNewton = 200;

// The likelihood of all rows at f.
struct RowValues {
  double sum = 0.0;
  std::vector<double> first, precision, third;
};
RowValues row_values(const GpOutcome& outcome, std::span<const double> theta,
                     std::span<const double> f) {
  RowValues made;
  for (std::size_t n = 0; n < f.size(); ++n) {
    const SiteValues<double> at = outcome.family->at(outcome.sites[n], outcome.phi(theta), f[n]);
    made.sum += at.value;
    made.first.push_back(at.first), made.precision.push_back(-at.second);
    made.third.push_back(at.third);
  }
  return made;
}

// alpha, f = K alpha and the log posterior there.
struct ModePoint {
  std::vector<double> alpha, f;
  RowValues at;
  double value = -kInfinity;
};
ModePoint mode_point(const GpOutcome& outcome, std::span<const double> theta, const DenseMatrix& k,
                     std::vector<double> alpha) {
  ModePoint made{.alpha = std::move(alpha), .f = {}, .at = {}};
  made.f = times(k, made.alpha);
  made.at = row_values(outcome, theta, made.f);
  made.value =
      made.at.sum - 0.5 * std::inner_product(made.f.begin(), made.f.end(), made.alpha.begin(), 0.0);
  return made;
}
LatentSites newton_sites(const ModePoint& at) {
  LatentSites sites{.precision = at.at.precision, .shift = at.at.first};
  for (std::size_t n = 0; n < sites.shift.size(); ++n)
    sites.shift[n] += sites.precision[n] * at.f[n];
  return sites;
}

struct FoundMode {
  ModePoint at;
  LatentNormal q;
  bool is_found = false;
};

class LaplaceSolver final : public GpSolver {
 public:
  LaplaceSolver(const GpProblem& problem, const GpOutcome& outcome) : prior_(problem, outcome) {}

  GpEvidence evidence(std::span<const double> theta, bool with_slopes) override {
    const DenseMatrix k = prior_.covariance(theta);
    FoundMode mode = find_mode(theta, k);
    if (!mode.is_found) return {};
    GpEvidence made{.value = mode.at.value - 0.5 * mode.q.log_determinant};
    if (with_slopes) made.slopes = slopes(theta, k, mode);
    return made;
  }
  std::unique_ptr<GpPosterior> posterior(std::span<const double> theta) override {
    const DenseMatrix k = prior_.covariance(theta);
    FoundMode mode = find_mode(theta, k);
    if (!mode.is_found)
      throw Error(ErrorCode::evaluation,
                  "the posterior's mode was not found at these hyperparameters", "",
                  "other starts: --seed; or state some hyperparameters: se(x, length = 2)");
    return make_latent_posterior(prior_, theta, std::move(mode.q));
  }

 private:
  // Newton's steps on a concave function, halved until they climb.
  FoundMode find_mode(std::span<const double> theta, const DenseMatrix& k) const {
    const GpOutcome& outcome = prior_.outcome;
    ModePoint at =
        mode_point(outcome, theta, k, std::vector<double>(static_cast<std::size_t>(k.rows), 0.0));
    double last = kInfinity;
    for (int step = 0; step < kMostNewton; ++step) {
      stop_if_asked();
      LatentNormal q(prior_, k, newton_sites(at));
      if (!q.is_defined) return {std::move(at), std::move(q), false};
      const double off = distance(at);
      if (has_settled(off, last)) return {std::move(at), std::move(q), true};
      last = off;
      const std::vector<double> before = at.alpha;
      double share = 1.0;
      for (; share > 1e-10; share *= 0.5) {
        std::vector<double> alpha = before;
        for (std::size_t n = 0; n < alpha.size(); ++n) alpha[n] += share * (q.alpha[n] - before[n]);
        ModePoint next = mode_point(outcome, theta, k, std::move(alpha));
        if (!(next.value >= at.value - 1e-12 * std::abs(at.value))) continue;
        at = std::move(next);
        break;
      }
      if (!(share > 1e-10)) return {std::move(at), std::move(q), false};
    }
    LatentNormal q(prior_, k, newton_sites(at));
    return {std::move(at), std::move(q), false};
  }
  // The mode has alpha = log p'(f). The error of log Z is the square of this distance, in units of the slopes and curvatures.
  static double distance(const ModePoint& at) {
    double off = 0.0, size = 1.0;
    for (std::size_t n = 0; n < at.alpha.size(); ++n) {
      off = std::max(off, std::abs(at.alpha[n] - at.at.first[n]));
      size = std::max(size, std::abs(at.at.first[n]) + at.at.precision[n]);
    }
    return off / size;
  }

  std::vector<double> slopes(std::span<const double> theta, const DenseMatrix& k,
                             FoundMode& mode) const {
    const std::vector<double> variances = mode.q.variances(k);
    std::vector<double> s;
    for (std::size_t n = 0; n < variances.size(); ++n)
      s.push_back(0.5 * variances[n] * mode.at.at.third[n]);
    std::vector<double> v = s;
    const std::vector<double> moved = mode.q.times_r(times(k, s));
    for (std::size_t n = 0; n < v.size(); ++n) v[n] -= moved[n];
    const std::vector<double>& a = mode.at.alpha;
    const std::vector<double>& g = mode.at.at.first;
    const DenseMatrix r = mode.q.take_r();
    std::vector<double> made = prior_.slopes(theta, [&](Index i, Index j) {
      const auto x = static_cast<std::size_t>(i), y = static_cast<std::size_t>(j);
      return 0.5 * (a[x] * a[y] - r(i, j) + v[x] * g[y] + v[y] * g[x]);
    });
    add_family_slopes(theta, mode, variances, times(k, v), made);
    return made;
  }
  // By the likelihood's own parameters: directly, by W, and by the mode, which moves by (1 + K W)^-1 K d log p'.
  void add_family_slopes(std::span<const double> theta, const FoundMode& mode,
                         std::span<const double> variances, std::span<const double> kv,
                         std::vector<double>& made) const {
    const GpOutcome& outcome = prior_.outcome;
    const std::size_t num = outcome.family->parameters.size();
    if (num == 0) return;
    std::array<OutcomeDual, kMostOutcomeParameters> phi;
    for (std::size_t p = 0; p < num; ++p)
      phi[p] = OutcomeDual::variable(outcome.phi(theta)[p], static_cast<int>(p));
    for (std::size_t n = 0; n < variances.size(); ++n) {
      const auto at = outcome.family->by_parameters(outcome.sites[n], phi.data(), mode.at.f[n]);
      for (std::size_t p = 0; p < num; ++p)
        made[static_cast<std::size_t>(outcome.first_parameter) + p] +=
            at.value.d[p] + 0.5 * variances[n] * at.second.d[p] + kv[n] * at.first.d[p];
    }
  }

  LatentPrior prior_;
};
}  // namespace

std::unique_ptr<GpSolver> make_laplace_solver(const GpProblem& problem, const GpOutcome& outcome) {
  return std::make_unique<LaplaceSolver>(problem, outcome);
}

}  // namespace credo::models
