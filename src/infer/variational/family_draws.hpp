// Draws of a member of a family, as an approximation.
#pragma once
#include "infer/variational/approximation.hpp"
#include "infer/variational/families/distribution_family.hpp"

namespace credo::infer {

// Mean and covariance of a member, as settings of a result.
inline std::vector<TunedSetting> settings_of(const NormalFamily& family) {
  CovarianceParts parts = family.covariance_parts();
  std::vector<TunedSetting> settings{{"mean", family.mean()}, {"variances", family.variances()}};
  if (!parts.covariance.empty()) settings.push_back({"covariance", std::move(parts.covariance)});
  if (!parts.scales.empty()) settings.push_back({"scales", std::move(parts.scales)});
  if (!parts.loadings.empty()) settings.push_back({"loadings", std::move(parts.loadings)});
  return settings;
}

class FamilyDraws final : public Approximation {
 public:
  explicit FamilyDraws(const DistributionFamily& family)
      : family_(family.clone_family()), noise_(static_cast<std::size_t>(family.num_base())) {}
  std::unique_ptr<Approximation> clone() const override {
    return std::make_unique<FamilyDraws>(*family_);
  }
  double draw(Rng& rng, std::span<double> x) override {
    for (double& n : noise_) n = rng.normal();
    double log_q = 0.0;
    family_->place_draws(noise_, x, std::span(&log_q, 1));
    return log_q;
  }

 private:
  std::unique_ptr<DistributionFamily> family_;
  std::vector<double> noise_;
};

}  // namespace credo::infer
