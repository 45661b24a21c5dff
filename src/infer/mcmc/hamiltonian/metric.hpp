// Euclidean metrics: the covariance M of the momentum.
//
// The stored matrix is the inverse metric M⁻¹, the estimate of the target's covariance; all of it is 1
// (unit), a vector of D variances (diagonal) or a symmetric D × D matrix, column-major (dense).
// The inverse metric of limited-memory BFGS is D variances and pairs of moves and changes of the gradient.
#pragma once
#include "base/rng.hpp"
#include "infer/core/metric_kind.hpp"
#include "infer/mcmc/hamiltonian/product_root.hpp"

namespace credo::infer {

class Metric {
 public:
  Metric(MetricKind kind, Index dimension);  // the identity

  MetricKind kind() const { return kind_; }
  Index dimension() const { return dimension_; }
  // D ones, D variances or D × D covariances; for lbfgs the variances that its pairs begin with.
  std::span<const double> inverse() const { return inverse_; }
  // D × D, of lbfgs with its pairs; else inverse().
  std::vector<double> whole_inverse() const;

  // False, without a change, unless the values are finite and positive (symmetric and
  // positive definite). Sizes as inverse(); a unit metric takes none. O(D³) for a dense one. Does
  // not allocate.
  [[nodiscard]] bool set_inverse(std::span<const double> values);
  // With lbfgs: adds a pair, the move s and y = gradient before - gradient after. See ProductRoot.
  bool add_pair(std::span<const double> s, std::span<const double> y);

  // With a dense metric: M⁻¹ += weight · direction directionᵀ, its factor by a rank-one update or, of
  // a negative weight, downdate. False, without a change, if the result isn't positive
  // definite. O(D²). Does not allocate.
  [[nodiscard]] bool add_rank_one(double weight, std::span<const double> direction);

  // momentum ~ Normal(0, M), from D standard normal variates in `momentum`. O(D), O(D²) or, with m
  // pairs, O(m D).
  void shape_momentum(std::span<double> momentum) const;
  // out ~ Normal(0, M⁻¹), from D standard normal variates: L noise with L Lᵀ = M⁻¹.
  void shape_move(std::span<const double> noise, std::span<double> out) const;
  // The noise of a move, in place: L⁻¹ move.
  void unshape_move(std::span<double> move) const;
  // out = Lᵀ gradient.
  void shape_gradient(std::span<const double> gradient, std::span<double> out) const;
  // velocity = M⁻¹ momentum.
  void velocity(std::span<const double> momentum, std::span<double> velocity) const;
  static void saved(auto& self, auto&& field) {
    field(self.kind_);
    field(self.dimension_);
    field(self.inverse_);
    field(self.root_);
    field(self.product_);
  }

 private:
  MetricKind kind_;
  Index dimension_;
  std::vector<double> inverse_;
  std::vector<double> root_;   // diagonal: 1 / sqrt of inverse; dense: lower Cholesky factor of it
  std::vector<double> trial_;  // of set_inverse and add_rank_one
  std::vector<double> rest_;   // of add_rank_one
  ProductRoot product_;        // lbfgs
};

}  // namespace credo::infer
