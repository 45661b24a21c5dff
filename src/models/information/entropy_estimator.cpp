#include "models/information/entropy_estimator.hpp"

#include <numeric>

#include "base/choice.hpp"
#include "base/error.hpp"
#include "models/information/discrete_distributions.hpp"
#include "numerics/special.hpp"

namespace credo::models {

double CountSample::total() const { return std::accumulate(counts.begin(), counts.end(), 0.0); }
Index CountSample::num_single() const { return std::ranges::count(counts, 1.0); }

CountSample count_sample(std::span<const double> counts, Index num_states) {
  CountSample made{.counts = {}, .num_states = std::max(num_states, ssize(counts))};
  for (const double n : counts)
    if (n > 0.0) made.counts.push_back(n);
  return made;
}

double plug_in_variance(const CountSample& sample) {
  const double n = sample.total();
  double h = 0.0, squares = 0.0;
  for (const double count : sample.counts) {
    const double p = count / n, own = self_information(p);
    h += p * own, squares += p * own * own;
  }
  return std::max(0.0, squares - h * h) / n +
         static_cast<double>(sample.num_seen() - 1) / (2.0 * n * n);
}

std::vector<std::pair<double, double>> CountSample::grouped() const {
  std::map<double, double> times;
  for (const double count : counts) times[count] += 1.0;
  return {times.begin(), times.end()};
}

EntropyEstimate dirichlet_entropy(const CountSample& sample, double a) {
  return dirichlet_entropy(sample.grouped(), sample.total(), sample.num_states, a);
}

EntropyEstimate dirichlet_entropy(std::span<const std::pair<double, double>> grouped, double rows,
                                  Index num_states, double a) {
  using numerics::digamma, numerics::trigamma;
  const double total = rows + a * static_cast<double>(num_states);
  const double psi = digamma(total + 2.0), psi1 = trigamma(total + 2.0);
  double mean = digamma(total + 1.0), own = 0.0, sum = 0.0, squares = 0.0;
  auto unseen = static_cast<double>(num_states);
  const auto add = [&](double alpha, double times) {
    const double u = digamma(alpha + 1.0) - psi, v = digamma(alpha + 2.0) - psi;
    mean -= times * alpha / total * digamma(alpha + 1.0);
    sum += times * alpha * u;
    squares += times * alpha * alpha * (u * u - psi1);
    own += times * alpha * (alpha + 1.0) * (v * v + trigamma(alpha + 2.0) - psi1);
  };
  for (const auto& [count, times] : grouped) add(count + a, times), unseen -= times;
  add(a, unseen);
  // Pairs of different states: the square of the sum without its diagonal, each with -trigamma(total + 2).
  const double pairs = sum * sum - psi1 * total * total - squares;
  const double second = (pairs + own) / (total * (total + 1.0));
  return {mean, std::sqrt(std::max(0.0, second - mean * mean))};
}

const EntropyEstimator& find_entropy_estimator(std::string_view name) {
  for (const EntropyEstimator* row : entropy_estimators())
    if (row->name == name) return *row;
  throw Error(ErrorCode::usage, "there is no estimator '" + std::string(name) + "'", "--estimator",
              "one of the estimators that credo help information lists");
}

}  // namespace credo::models
