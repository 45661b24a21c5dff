// Parameters are those of the family's row: sigma, then nu of student; shape; phi.
#include "models/effects/outcome_variance.hpp"

namespace credo::models {
namespace {
double square(double x) { return x * x; }

constexpr std::array<OutcomeVarianceRow, 9> kRows{{
    {"bernoulli", 0, [](const VarianceAt& at) { return at.mean * (1.0 - at.mean); }},
    {"beta", 1,
     [](const VarianceAt& at) { return at.mean * (1.0 - at.mean) / (1.0 + at.parameters[0]); }},
    {"binomial", 0, [](const VarianceAt& at) { return at.mean * (1.0 - at.mean / at.trials); }},
    {"gamma", 1, [](const VarianceAt& at) { return square(at.mean) / at.parameters[0]; }},
    {"lognormal", 1,
     [](const VarianceAt& at) { return square(at.mean) * std::expm1(square(at.parameters[0])); }},
    {"negbinomial", 1,
     [](const VarianceAt& at) { return at.mean + square(at.mean) / at.parameters[0]; }},
    {"normal", 1, [](const VarianceAt& at) { return square(at.parameters[0]); }},
    {"poisson", 0, [](const VarianceAt& at) { return at.mean; }},
    {"student", 2,
     [](const VarianceAt& at) {
       const double nu = at.parameters[1];
       return nu > 2.0 ? square(at.parameters[0]) * nu / (nu - 2.0) : kInfinity;
     }},
}};
}  // namespace

std::span<const OutcomeVarianceRow> outcome_variances() { return kRows; }

const OutcomeVarianceRow* find_outcome_variance(std::string_view family) {
  const auto found = std::ranges::find(kRows, family, &OutcomeVarianceRow::family);
  return found == kRows.end() ? nullptr : &*found;
}

double sample_variance(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  double mean = 0.0, sum = 0.0;
  for (const double v : values) mean += v / n;
  for (const double v : values) sum += square(v - mean);
  return sum / (n - 1.0);
}

ExplainedShare explained_share(std::span<const double> means, std::span<const double> fixed,
                               double noise) {
  const double all = sample_variance(means);
  ExplainedShare share{.all = all / (all + noise)};
  if (fixed.empty()) return share;
  std::vector<double> effects;
  for (std::size_t k = 0; k < means.size(); ++k) effects.push_back(means[k] - fixed[k]);
  const double own = sample_variance(fixed);
  share.within = own / (own + sample_variance(effects) + noise);
  return share;
}

}  // namespace credo::models
