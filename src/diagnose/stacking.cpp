#include "diagnose/stacking.hpp"

#include "base/aligned.hpp"
#include "base/rng.hpp"
#include "numerics/elementary.hpp"
#include "numerics/linear_algebra/dense.hpp"

namespace credo::diagnose {
namespace {
// Relative to the best model of each row, so that none overflows.
std::vector<double> densities_of(std::span<const double> elpd, std::size_t k) {
  std::vector<double> densities(elpd.begin(), elpd.end());
  for (std::size_t first = 0; first < densities.size(); first += k) {
    const std::span<double> row = std::span(densities).subspan(first, k);
    const double largest = *std::max_element(row.begin(), row.end());
    for (double& x : row) x = numerics::exp(x - largest);
  }
  return densities;
}

// Mean over rows of p_k / sum_j w_j p_j: 1 at the optimum for each model with a weight, at most 1 for the others.
std::vector<double> slopes_at(std::span<const double> densities, std::span<const double> weights) {
  const std::size_t k = weights.size();
  const double share = static_cast<double>(k) / static_cast<double>(densities.size());
  std::vector<double> slopes(k, 0.0);
  for (std::size_t first = 0; first < densities.size(); first += k) {
    double sum = 0.0;
    for (std::size_t j = 0; j < k; ++j) sum += weights[j] * densities[first + j];
    for (std::size_t j = 0; j < k; ++j) slopes[j] += share * densities[first + j] / sum;
  }
  return slopes;
}

std::vector<double> softmax(std::vector<double> sums) {
  const double largest = *std::max_element(sums.begin(), sums.end());
  double total = 0.0;
  for (double& x : sums) total += x = numerics::exp(x - largest);
  for (double& x : sums) x /= total;
  return sums;
}
}  // namespace

namespace {
double mean_log_mixture(std::span<const double> densities, std::span<const double> weights) {
  const std::size_t k = weights.size();
  double total = 0.0;
  for (std::size_t first = 0; first < densities.size(); first += k) {
    double sum = 0.0;
    for (std::size_t j = 0; j < k; ++j) sum += weights[j] * densities[first + j];
    total += std::log(sum);
  }
  return total * static_cast<double>(k) / static_cast<double>(densities.size());
}

// Maximises a concave objective of weights that add up to 1: Newton steps among the models that have a weight, up to where
// one of them has none left; a model without a weight gets one where that would gain.
class StackingClimb {
 public:
  StackingClimb(std::span<const double> densities, std::size_t num_models)
      : densities_(densities), weights_(num_models, 1.0 / static_cast<double>(num_models)) {}

  std::vector<double> top() {
    constexpr int kFirstSteps = 20, kMostSteps = 1000;
    for (int step = 0; step < kFirstSteps; ++step) expect_and_maximise();
    for (int step = 0; step < kMostSteps; ++step)
      if (!climb() && !admit()) break;
    const double total = std::accumulate(weights_.begin(), weights_.end(), 0.0);
    for (double& w : weights_) w /= total;
    return weights_;
  }

 private:
  static constexpr double kGain = 1e-13;  // bound of the objective per row, and of slopes

  // w_k <- w_k slope_k raises the objective.
  void expect_and_maximise() {
    const std::vector<double> slopes = slopes_at(densities_, weights_);
    for (std::size_t j = 0; j < weights_.size(); ++j) weights_[j] *= slopes[j];
  }

  // A model that would gain the most from a weight; false: none would.
  bool admit() {
    const std::vector<double> slopes = slopes_at(densities_, weights_);
    std::size_t best = 0;
    for (std::size_t j = 0; j < slopes.size(); ++j)
      if (slopes[j] > slopes[best]) best = j;
    constexpr double kFirstWeight = 1e-6;
    if (weights_[best] > 0.0 || slopes[best] <= 1.0 + kGain) return false;
    for (double& w : weights_) w *= 1.0 - kFirstWeight;
    weights_[best] += kFirstWeight;
    return true;
  }

  // One step; false: it gains nothing any more.
  bool climb() {
    const std::vector<double> direction = newton_direction();
    double length = 1.0;
    std::size_t stops = weights_.size();  // the first model whose weight ends
    for (std::size_t j = 0; j < weights_.size(); ++j)
      if (direction[j] < 0.0 && -weights_[j] / direction[j] < length)
        length = -weights_[j] / direction[j], stops = j;
    const double before = mean_log_mixture(densities_, weights_);
    for (; length > 1e-10; length /= 2.0, stops = weights_.size()) {
      std::vector<double> next = weights_;
      for (std::size_t j = 0; j < next.size(); ++j) next[j] += length * direction[j];
      if (stops < next.size()) next[stops] = 0.0;
      const double gain = mean_log_mixture(densities_, next) - before;
      if (!(gain >= -kGain)) continue;
      weights_ = std::move(next);
      const double largest =
          *std::max_element(direction.begin(), direction.end(),
                            [](double a, double b) { return std::abs(a) < std::abs(b); });
      return stops < weights_.size() || std::abs(largest) > kGain;
    }
    return false;
  }

  // d = A^-1 (g - lambda 1) for the models that have a weight, A the negative Hessian, g the slopes, lambda such that d adds up
  // to 0.
  std::vector<double> newton_direction() const {
    std::vector<std::size_t> free;
    for (std::size_t j = 0; j < weights_.size(); ++j)
      if (weights_[j] > 0.0) free.push_back(j);
    const Index n = ssize(free);
    AlignedArray curvature = curvature_of(free), factor(n * n), sides(2 * n), half(2 * n),
                 solved(2 * n);
    AlignedArray scratch(
        std::max(numerics::cholesky_scratch(n), numerics::solve_lower_scratch(n, 2)));
    const std::vector<double> slopes = slopes_at(densities_, weights_);
    for (Index a = 0; a < n; ++a)
      sides[a] = slopes[free[static_cast<std::size_t>(a)]], sides[n + a] = 1.0;
    const numerics::LaneOperand whole{.data = factor.data(), .row = 1, .col = n};
    numerics::cholesky(1, n, {.data = curvature.data(), .row = 1, .col = n}, factor.data(),
                       scratch.data());
    numerics::solve_lower(1, {.n = n, .cols = 2}, whole, {.data = sides.data(), .row = 1, .col = n},
                          half.data(), scratch.data());
    numerics::solve_lower(1, {.n = n, .cols = 2, .transposed = true}, whole,
                          {.data = half.data(), .row = 1, .col = n}, solved.data(), scratch.data());
    double sum_g = 0.0, sum_one = 0.0;
    for (Index a = 0; a < n; ++a) sum_g += solved[a], sum_one += solved[n + a];
    std::vector<double> direction(weights_.size(), 0.0);
    for (Index a = 0; a < n; ++a)
      direction[free[static_cast<std::size_t>(a)]] = solved[a] - sum_g / sum_one * solved[n + a];
    return direction;
  }
  // Models that predict the same make it singular: a little is added to the diagonal, which bends the direction and not
  // the top.
  AlignedArray curvature_of(std::span<const std::size_t> free) const {
    constexpr double kRidge = 1e-12;
    const std::size_t k = weights_.size(), n = free.size();
    const double share = static_cast<double>(k) / static_cast<double>(densities_.size());
    AlignedArray curvature(static_cast<Index>(n * n));
    for (std::size_t first = 0; first < densities_.size(); first += k) {
      double sum = 0.0;
      for (std::size_t j = 0; j < k; ++j) sum += weights_[j] * densities_[first + j];
      for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = 0; b < n; ++b)
          curvature[static_cast<Index>(a * n + b)] +=
              share * (densities_[first + free[a]] / sum) * (densities_[first + free[b]] / sum);
    }
    for (std::size_t a = 0; a < n; ++a) curvature[static_cast<Index>(a * n + a)] *= 1.0 + kRidge;
    return curvature;
  }

  std::span<const double> densities_;
  std::vector<double> weights_;
};
}  // namespace

std::vector<double> stacking_weights(std::span<const double> elpd, Index num_models) {
  const auto k = static_cast<std::size_t>(num_models);
  const std::vector<double> densities = densities_of(elpd, k);
  return StackingClimb(densities, k).top();
}

std::vector<double> pseudo_bma_weights(std::span<const double> elpd, Index num_models,
                                       Index num_draws, std::uint64_t seed) {
  const auto k = static_cast<std::size_t>(num_models), n = elpd.size() / k;
  const auto sums_with = [&](auto&& weight_of) {
    std::vector<double> sums(k, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      const double weight = weight_of();
      for (std::size_t j = 0; j < k; ++j) sums[j] += weight * elpd[i * k + j];
    }
    return sums;
  };
  if (num_draws == 0) return softmax(sums_with([] { return 1.0; }));
  std::vector<double> mean(k, 0.0);
  for (Index b = 0; b < num_draws; ++b) {
    Rng rng(
        {.seed = seed, .purpose = purpose::kGenerated, .iteration = static_cast<std::uint32_t>(b)});
    double total = 0.0;  // Dirichlet(1, ..., 1): exponential numbers over their sum
    std::vector<double> sums = sums_with([&] {
      const double weight = rng.exponential();
      total += weight;
      return weight;
    });
    for (double& x : sums) x *= static_cast<double>(n) / total;
    const std::vector<double> weights = softmax(std::move(sums));
    for (std::size_t j = 0; j < k; ++j) mean[j] += weights[j] / static_cast<double>(num_draws);
  }
  return mean;
}

}  // namespace credo::diagnose
