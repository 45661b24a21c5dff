// Hamiltonian variational inference by one trajectory [salimans2015]: a draw of a normal distribution is moved by L leapfrog steps with a
// momentum of its own, and a reverse model r knows how likely the last momentum is at the last place.
//
//   x₀ ~ q₀ = N(μ, Σ),  p₀ ~ N(0, I)
//   p_½ = p + ½ e∘g(x),  x' = x + e∘p_½,  p' = p_½ + ½ e∘g(x'),  g = ∇log p       L times; its volume factor is 1
//   r(p_L | x_L) = N(b + B (x_L - c) / u, diag t²)
//   bound = E[log p(x_L) + log r(p_L | x_L) - log q₀(x₀) - log N(p₀)] <= log Z
//
// It is the evidence bound of the pair (x_L, p_L) with the target p(x) r(p | x), so exp of the expression in brackets is a weight of the
// draw x_L. Parameters λ: those of q₀, log e (D), b (D), B (D × D, row by row), log t (D). Adjoints pass back through the steps
// by products of second derivatives with vectors: exact where the density has these.
#pragma once
#include "infer/variational/families/normal_family.hpp"
#include "infer/variational/climbs/hessian_products.hpp"

namespace credo::infer {

class HamiltonianMap {
 public:
  // `units`: first step sizes, and the scale of x in r. The density outlives the map.
  HamiltonianMap(const density::LogDensity& density, std::unique_ptr<NormalFamily> first,
                 std::vector<double> units, Index num_leapfrog);
  HamiltonianMap(const HamiltonianMap& other);

  Index dimension() const { return first_->dimension(); }
  Index num_base() const { return first_->num_base() + dimension(); }  // variates for x₀, then p₀
  Index num_parameters() const;
  std::vector<double> start() const;
  void move_to(std::span<const double> parameters);

  // The trajectory from standard normal variates. False where the density refuses a place on it.
  bool place(std::span<const double> z);
  std::span<const double> position() const { return last(positions_); }
  double log_density() const { return log_density_; }  // log p(x_L)
  // log q₀(x₀) + log N(p₀) - log r(p_L | x_L): log p less it is the log weight.
  double log_q();
  // log p(x_L) + log r(p_L | x_L), and E[-log q₀ - log N(p₀)].
  double log_joint();
  double entropy() const;
  // Adds the gradient of log_joint() by λ at the last draw. False where second derivatives are refused.
  bool pull_back(std::span<double> into);
  void add_entropy_slope(std::span<double> into) {
    first_->add_entropy_slope(into.first(num_first()));
  }

  const NormalFamily& first() const { return *first_; }
  const std::vector<double>& step_sizes() const { return steps_; }
  std::span<const double> reverse_scales() const { return scales_; }
  bool has_exact_products() const { return products_.is_exact(); }

 private:
  std::size_t size() const { return centre_.size(); }
  std::size_t num_first() const { return static_cast<std::size_t>(first_->num_parameters()); }
  std::size_t num_first_base() const { return static_cast<std::size_t>(first_->num_base()); }
  std::span<double> part(std::vector<double>& of, std::size_t k) {
    return std::span(of).subspan(k * size(), size());
  }
  std::span<const double> last(const std::vector<double>& of) const {
    return std::span(of).last(size());
  }
  bool evaluate(std::size_t k);
  double log_reverse();
  void add_reverse_slopes(std::span<double> into);

  const density::LogDensity& density_;
  std::unique_ptr<NormalFamily> first_;
  std::vector<double> units_, centre_;
  std::size_t num_steps_;
  std::vector<double> steps_, shift_, slope_, scales_;  // e, b, B, t
  std::unique_ptr<density::Evaluator> evaluator_;
  HessianProducts products_;
  double log_density_ = 0.0;
  std::vector<double> z_;                          // variates of x₀
  std::vector<double> positions_, gradients_;      // (L + 1) × D
  std::vector<double> half_momenta_;               // L × D
  std::vector<double> first_momentum_, momentum_;  // p₀, p_L
  std::vector<double> residual_, of_position_, of_momentum_, of_steps_, product_, direction_;
};

}  // namespace credo::infer
