// Draws of a member of a normal family, as an approximation.
#pragma once
#include "infer/variational/approximation.hpp"
#include "infer/variational/families/normal_family.hpp"

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
  explicit FamilyDraws(const NormalFamily& family)
      : family_(family.clone()), noise_(static_cast<std::size_t>(family.num_base())) {}
  std::unique_ptr<Approximation> clone() const override {
    return std::make_unique<FamilyDraws>(*family_);
  }
  double draw(Rng& rng, std::span<double> x) override {
    for (double& n : noise_) n = rng.normal();
    family_->place(noise_, x);
    return family_->log_density(x);
  }

 private:
  std::unique_ptr<NormalFamily> family_;
  std::vector<double> noise_;
};

}  // namespace credo::infer
