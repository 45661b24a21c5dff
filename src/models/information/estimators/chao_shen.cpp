// States that weren't seen: probabilities are shrunk by the estimated coverage 1 - f1 / N, where f1 states were seen once, and
// each term is divided by the probability that the state is seen at all (Horvitz, Thompson) [chao2003].
#include "models/information/entropy_estimator.hpp"

namespace credo::models {
namespace {
std::string no_coverage(const CountSample& sample) {
  return sample.num_single() == sample.num_seen()
             ? "each state was seen once: the share of the states that were seen is estimated as 0"
             : "";
}
EntropyEstimate chao_shen(const CountSample& sample, const EntropyOptions&) {
  const double n = sample.total(), coverage = 1.0 - static_cast<double>(sample.num_single()) / n;
  double h = 0.0;
  for (const double count : sample.counts) {
    const double p = coverage * count / n;
    h -= p * std::log(p) / -std::expm1(n * std::log1p(-p));
  }
  return {h, std::sqrt(plug_in_variance(sample))};
}
}  // namespace

extern const EntropyEstimator chao_shen_entropy{
    "chao_shen", "corrected for states that weren't seen, by the number of those seen once",
    no_coverage, chao_shen};

}  // namespace credo::models
