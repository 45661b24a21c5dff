// Semi-amortised climbs [kim2018]: a bound L(λ, δ) of a family whose last parameters δ are offsets of each row from its network is climbed as
//
//   δ₀ = 0,  δ_{k+1} = δ_k + α ∂L/∂δ (λ, δ_k)   K times;   F(λ) = L(λ, δ_K)
//
// by the whole derivative of F: the steps are passed backwards by second derivatives of L times vectors, central differences of its
// gradient (errors of 1e-9). A gradient that stops at δ_K would leave the network no slope where the steps have converged.
#pragma once
#include "density/log_density.hpp"

namespace credo::infer {

class InnerSteps final : public density::LogDensity {
 public:
  // `of`: L as a log density of (λ, δ), which outlives this one.
  InnerSteps(const density::LogDensity& of, Index num_offsets, Index num_steps)
      : of_(of), num_offsets_(num_offsets), num_steps_(num_steps) {}
  Index dimension() const override { return of_.dimension() - num_offsets_; }
  bool has_gradient() const override { return true; }
  std::unique_ptr<density::Evaluator> make_evaluator() const override;
  std::string describe(const density::Status& status) const override {
    return of_.describe(status);
  }
  // (λ, δ_K)
  std::vector<double> completed(std::span<const double> parameters) const;

 private:
  const density::LogDensity& of_;
  Index num_offsets_, num_steps_;
};

}  // namespace credo::infer
