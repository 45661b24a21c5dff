#include "diagnose/agreement.hpp"

#include "diagnose/convergence.hpp"
#include "numerics/incomplete_beta.hpp"

namespace credo::diagnose {

Estimate estimate_of_chains(const Chains& values) {
  const auto is_finite = [](double x) { return std::isfinite(x); };
  if (!std::ranges::all_of(values.values, is_finite)) return {};
  const Estimate estimate{.value = mean(values.values), .error = 0.0};
  if (is_degenerate(values.values)) return estimate;
  return {.value = estimate.value,
          .error = mcse_mean(values),
          .freedom = std::max(1.0, ess_mean(values) - 1.0)};
}

Estimate estimate_of_batches(std::span<const double> estimates) {
  if (estimates.size() < 2) return {};
  const auto count = static_cast<double>(estimates.size());
  return {.value = mean(estimates),
          .error = std::sqrt(variance(estimates) / count),
          .freedom = count - 1.0};
}

double combined_errors(const Estimate& a, const Estimate& b) {
  if (a.value == b.value) return 0.0;
  return std::abs(a.value - b.value) / std::hypot(a.error, b.error);
}

double disagreement_p_value(const Estimate& a, const Estimate& b) {
  const double errors = combined_errors(a, b);
  if (std::isnan(errors) || std::isnan(a.error + b.error)) return kNaN;
  if (errors == 0.0) return 1.0;
  if (std::isinf(errors)) return 0.0;
  const double first = a.error * a.error, second = b.error * b.error;
  const double sum = first + second;
  const double spread = first * first / a.freedom + second * second / b.freedom;
  constexpr double kAsGoodAsNormal = 1e6;  // degrees of freedom
  const double freedom = std::min(kAsGoodAsNormal, sum * sum / spread);
  return std::min(1.0, 2.0 * numerics::student_t_cdf(-errors, freedom));
}

}  // namespace credo::diagnose
