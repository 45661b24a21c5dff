// The plug-in estimate with the first term of its bias added [miller1955].
#include "models/information/discrete_distributions.hpp"
#include "models/information/entropy_estimator.hpp"

namespace credo::models {
namespace {
EntropyEstimate miller_madow(const CountSample& sample, const EntropyOptions&) {
  const double n = sample.total();
  double h = 0.0;
  for (const double count : sample.counts) h += count / n * self_information(count / n);
  return {h + static_cast<double>(sample.num_seen() - 1) / (2.0 * n),
          std::sqrt(plug_in_variance(sample))};
}
}  // namespace

extern const EntropyEstimator miller_madow_entropy{
    "miller_madow", "plugin, with (states that were seen - 1) / (2 rows) added", nullptr,
    miller_madow};

}  // namespace credo::models
