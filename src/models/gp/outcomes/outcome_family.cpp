#include "models/gp/outcomes/outcome_family.hpp"

namespace credo::models {

extern const OutcomeFamily kBernoulliLogit, kBernoulliProbit, kBinomialLogit, kBinomialProbit,
    kPoissonLog, kNegBinomialLog, kNormalIdentity, kStudentIdentity, kCategoricalLogit;

std::span<const OutcomeFamily* const> outcome_families() {
  static const std::array<const OutcomeFamily*, 9> kAll{
      &kBernoulliLogit, &kBernoulliProbit, &kBinomialLogit, &kBinomialProbit, &kCategoricalLogit,
      &kNegBinomialLog, &kNormalIdentity,  &kPoissonLog,    &kStudentIdentity};
  return kAll;
}

const OutcomeFamily& normal_outcomes() { return kNormalIdentity; }

const OutcomeFamily* find_outcome_family(std::string_view name, std::string_view link) {
  for (const OutcomeFamily* row : outcome_families())
    if (row->name == name && (link.empty() || row->link == link)) return row;
  return nullptr;
}

namespace {
using Slopes = std::array<double, kMostOutcomeParameters>;

numerics::LogFactor factor_of(const OutcomeFamily& family, const OutcomeSite& site,
                              const double* phi) {
  return [&family, &site, phi](std::span<const double> s, std::span<double> log_f,
                               std::span<double> slopes) {
    for (std::size_t k = 0; k < s.size(); ++k) {
      const SiteValues<double> at = family.at(site, phi, s[k]);
      log_f[k] = at.value, slopes[k] = at.first;
    }
  };
}
std::array<OutcomeDual, kMostOutcomeParameters> duals(const OutcomeFamily& family,
                                                      const double* phi) {
  std::array<OutcomeDual, kMostOutcomeParameters> made;
  for (std::size_t k = 0; k < family.parameters.size(); ++k)
    made[k] = OutcomeDual::variable(phi[k], static_cast<int>(k));
  return made;
}
}  // namespace

numerics::NormalExpectations expected_log_likelihood(const OutcomeFamily& family,
                                                     const OutcomeSite& site, const double* phi,
                                                     double mean, double variance) {
  if (family.expectations != nullptr) return family.expectations(site, phi, mean, variance);
  const numerics::HermiteRule& rule = numerics::hermite_rule();
  const double sd = std::sqrt(variance);
  numerics::NormalExpectations sum{.value = 0.0, .slope = 0.0, .curvature = 0.0};
  for (std::size_t k = 0; k < rule.points.size(); ++k) {
    const SiteValues<double> at = family.at(site, phi, mean + sd * rule.points[k]);
    sum.value += rule.weights[k] * at.value;
    sum.slope += rule.weights[k] * at.first;
    sum.curvature += rule.weights[k] * at.second;
  }
  return sum;
}

numerics::TiltedNormal tilted_site(const OutcomeFamily& family, const OutcomeSite& site,
                                   const double* phi, double mean, double variance) {
  if (family.tilted != nullptr) return family.tilted(site, phi, mean, variance);
  const numerics::LogFactor factor = factor_of(family, site, phi);
  const numerics::TiltedPeak peak = numerics::tilted_peak(mean, variance, factor, 1.0);
  return family.is_log_concave ? numerics::tilted_by_hermite(mean, variance, factor, 1.0, peak)
                               : numerics::tilted_by_grid(mean, variance, factor, 1.0, peak);
}

Slopes expected_parameter_slopes(const OutcomeFamily& family, const OutcomeSite& site,
                                 const double* phi, double mean, double variance) {
  Slopes sum{};
  const numerics::HermiteRule& rule = numerics::hermite_rule();
  const auto own = duals(family, phi);
  const double sd = std::sqrt(variance);
  for (std::size_t k = 0; k < rule.points.size(); ++k) {
    const auto at = family.by_parameters(site, own.data(), mean + sd * rule.points[k]);
    for (std::size_t p = 0; p < family.parameters.size(); ++p)
      sum[p] += rule.weights[k] * at.value.d[p];
  }
  return sum;
}

// d log Z / d phi is the mean of d log p / d phi under the tilted distribution; points around its peak.
Slopes tilted_parameter_slopes(const OutcomeFamily& family, const OutcomeSite& site,
                               const double* phi, double mean, double variance) {
  const numerics::TiltedPeak peak =
      numerics::tilted_peak(mean, variance, factor_of(family, site, phi), 1.0);
  const numerics::HermiteRule& rule = numerics::hermite_rule();
  const auto own = duals(family, phi);
  std::array<double, numerics::HermiteRule::kPoints> logs;
  std::array<Slopes, numerics::HermiteRule::kPoints> slopes;
  for (std::size_t k = 0; k < rule.points.size(); ++k) {
    const double z = rule.points[k], f = peak.at + peak.width * z;
    const auto at = family.by_parameters(site, own.data(), f);
    logs[k] = at.value.v - 0.5 * (f - mean) * (f - mean) / variance + 0.5 * z * z;
    slopes[k] = at.value.d;
  }
  const double most = std::ranges::max(logs);
  double mass = 0.0;
  Slopes sum{};
  for (std::size_t k = 0; k < logs.size(); ++k) {
    const double weight = rule.weights[k] * std::exp(logs[k] - most);
    mass += weight;
    for (std::size_t p = 0; p < sum.size(); ++p) sum[p] += weight * slopes[k][p];
  }
  for (double& slope : sum) slope /= mass;
  return sum;
}

double outcome_mean(const OutcomeFamily& family, double mean, double variance) {
  if (family.mean_under != nullptr) return family.mean_under(mean, variance);
  const numerics::HermiteRule& rule = numerics::hermite_rule();
  double sum = 0.0;
  for (std::size_t k = 0; k < rule.points.size(); ++k)
    sum += rule.weights[k] * family.mean_at(mean + std::sqrt(variance) * rule.points[k]);
  return sum;
}

}  // namespace credo::models
