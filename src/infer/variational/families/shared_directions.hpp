// Auxiliary variables a ~ N(0, I) that several values share [ranganath2016]: given a the values are independent, without it they depend on
// each other. If they enter linearly, the distribution without them is known:
//
//   x = μ + D^½ z + L a,   Σ = D + L Lᵀ,   Σ⁻¹ = D⁻¹ - D⁻¹ L M⁻¹ Lᵀ D⁻¹,   M = I + Lᵀ D⁻¹ L,   |Σ| = |D| |M|
#pragma once
#include "base/types.hpp"

namespace credo::infer {

class SharedDirections {
 public:
  SharedDirections(std::size_t num_values, std::size_t num_directions)
      : num_values_(num_values),
        num_directions_(num_directions),
        loadings_(num_values * num_directions),
        solved_(loadings_.size()),
        work_(num_directions) {}
  std::size_t count() const { return num_directions_; }
  double& loading(std::size_t i, std::size_t r) { return loadings_[i * num_directions_ + r]; }
  double loading(std::size_t i, std::size_t r) const { return loadings_[i * num_directions_ + r]; }
  // After the loadings were set. `scales`: the roots of D.
  void prepare(std::span<const double> scales);
  double half_log_ratio() const { return half_log_ratio_; }  // ½ log (|Σ| / |D|)
  // (Σ⁻¹ L)_ir = ∂ ½ log |Σ| / ∂ L_ir
  double slope(std::size_t i, std::size_t r) const { return solved_[i * num_directions_ + r]; }
  // D_i (Σ⁻¹)_ii = ∂ ½ log |Σ| / ∂ log √D_i
  double slope_of_scale(std::size_t i) const;
  // Takes D⁻¹ (x - μ) to Σ⁻¹ (x - μ).
  void solve(std::span<double> values);

 private:
  std::size_t num_values_, num_directions_;
  std::vector<double> loadings_, solved_, work_;
  double half_log_ratio_ = 0.0;
};

}  // namespace credo::infer
