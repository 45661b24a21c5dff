// Entropy of the relative frequencies: biased downwards by about (states - 1) / (2 rows).
#include "models/information/discrete_distributions.hpp"
#include "models/information/entropy_estimator.hpp"

namespace credo::models {
namespace {
EntropyEstimate plug_in(const CountSample& sample, const EntropyOptions&) {
  std::vector<double> p = sample.counts;
  const double n = sample.total();
  for (double& x : p) x /= n;
  return {entropy(p), std::sqrt(plug_in_variance(sample))};
}
}  // namespace

extern const EntropyEstimator plugin_entropy{
    "plugin", "entropy of the relative frequencies, too small by about (states - 1) / (2 rows)",
    nullptr, plug_in};

}  // namespace credo::models
