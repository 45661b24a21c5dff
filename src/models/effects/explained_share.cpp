#include "models/effects/explained_share.hpp"

namespace credo::models {
namespace {
double square(double x) { return x * x; }
}  // namespace

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
