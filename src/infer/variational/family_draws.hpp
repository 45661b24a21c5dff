// Draws of a member of a family, as an approximation.
#pragma once
#include "infer/variational/approximation.hpp"
#include "infer/variational/families/distribution_family.hpp"

namespace credo::infer {

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
