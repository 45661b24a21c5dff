// An inverse metric M⁻¹ = S Sᵀ whose root is a product, as limited-memory BFGS makes it:
//
//   S = (I - p_m q_mᵀ) … (I - p_1 q_1ᵀ) diag(scale)                          [zhang2011;
//   brodlie1973] p = s / sᵀy,  q = y - c M s,  c² = sᵀy / sᵀM s
//
// for a move s and the change y of minus the gradient along it; M is the metric before the pair.
// After it M⁻¹ y = s, and M⁻¹ is the BFGS update of the metric before. All of S, Sᵀ and their inverses
// apply in O(m D): (I - p qᵀ)⁻¹ = I + c p qᵀ.
#pragma once
#include "base/types.hpp"

namespace credo::infer {

// Plain data; grows in update() only.
class ProductRoot {
 public:
  explicit ProductRoot(Index dimension);  // the identity

  void restart(std::span<const double> variances);  // diagonal, no pairs
  // Adds a pair. False, without a change, if its curvature isn't positive: c² has to be
  // within 1e-3 (less is a region that isn't concave, or a tail) and 1e12 (more is rounding).
  bool update(std::span<const double> s, std::span<const double> y);

  void apply(std::span<double> x) const;             // x ← S x
  void apply_transposed(std::span<double> x) const;  // x ← Sᵀ x
  void solve(std::span<double> x) const;             // x ← S⁻¹ x
  void solve_transposed(std::span<double> x) const;  // x ← S⁻ᵀ x

  Index num_pairs() const { return ssize(c_); }
  std::vector<double> inverse_metric() const;  // S Sᵀ, D × D
  static void saved(auto& self, auto&& field) {
    field(self.scale_);
    field(self.p_);
    field(self.q_);
    field(self.c_);
  }

 private:
  std::span<const double> p(std::size_t k) const { return part(p_, k); }
  std::span<const double> q(std::size_t k) const { return part(q_, k); }
  std::span<const double> part(const std::vector<double>& all, std::size_t k) const {
    return std::span(all).subspan(k * scale_.size(), scale_.size());
  }

  std::vector<double> scale_, p_, q_, c_;
};

}  // namespace credo::infer
