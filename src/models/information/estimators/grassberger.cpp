// log N - sum n / N G(n) with G(n) = psi(n) + (-1)^n / 2 (psi((n + 1) / 2) - psi(n / 2)): each term's bias falls
// exponentially with the count [grassberger2003, eq. 27 and 30].
#include "models/information/entropy_estimator.hpp"
#include "numerics/special.hpp"

namespace credo::models {
namespace {
double g_of(double n) {
  using numerics::digamma;
  const double sign = std::fmod(n, 2.0) == 0.0 ? 1.0 : -1.0;
  return digamma(n) + sign / 2.0 * (digamma((n + 1.0) / 2.0) - digamma(n / 2.0));
}
EntropyEstimate grassberger(const CountSample& sample, const EntropyOptions&) {
  const double n = sample.total();
  double h = std::log(n);
  for (const double count : sample.counts) h -= count / n * g_of(count);
  return {h, std::sqrt(plug_in_variance(sample))};
}
}  // namespace

extern const EntropyEstimator grassberger_entropy{
    "grassberger", "logarithms of counts replaced by numbers of nearly the same expectation",
    nullptr, grassberger};

}  // namespace credo::models
