// The bound of stochastic variational Gaussian processes with M inducing inputs Z, whitened, for outcomes of any family [hensman2015; murphy2023,
// section 18.5.4].
//
//   f(x) = a(x)' v + rest,  a = (L^-1 k(Z, x), scaled functions of the mean),  L L' = K_zz,  v ~ N(0, 1),  q(v) = N(m, S)
//   mean = a' m,  variance = k(x, x) - |L^-1 k(Z, x)|² + a' S a
//   bound = N/B sum over a batch of E log p(y | f) - KL,  KL = (tr S + m'm - size - log det S) / 2
//
// q has natural parameters: precision S^-1 and shift S^-1 m. The natural gradient of the bound by these is the difference to
//   precision: 1 + N/B sum w a a',  shift: N/B sum (E log p' + w mean) a,  w = -E log p''
// [salimbeni2018; for normal outcomes a step of 1 with all rows is the optimum]. Bits don't depend on the number of threads.
#pragma once
#include "models/gp/outcomes/latent_normal.hpp"

namespace credo::models {

using InputColumns = std::vector<std::vector<double>>;  // [input][point]

struct SvgpSums {
  double value = 0.0;                    // N/B sum E log p
  numerics::DenseMatrix precision = {};  // N/B sum w a a', lower triangle
  std::vector<double> shift = {};
  std::vector<double> slopes =
      {};  // derivatives of `value` by all parameters; empty if they weren't requested
  InputColumns input_slopes = {};  // derivatives by Z
};

class SvgpBound {
 public:
  enum class Slopes { none, parameters, parameters_and_inputs };

  // `columns`: inputs of the rows.
  SvgpBound(const GpProblem& problem, const GpOutcome& outcome, const InputColumns& columns);

  // K_zz at hyperparameters and inducing inputs, with a share kInducingJitter of its mean variance added. False where it has no factor.
  bool set_place(std::span<const double> theta, const InputColumns& z);
  // q; begins as N(0, 0.01) with the first place. False, and q stays, where the precision isn't positive definite (lower triangle is used).
  bool set_q(const numerics::DenseMatrix& precision, std::vector<double> shift);

  Index size() const { return m_ + mean_.size(); }  // numbers of v
  double divergence() const { return divergence_; }
  const numerics::DenseMatrix& precision() const { return precision_; }
  const std::vector<double>& shift() const { return shift_; }
  std::span<const double> theta() const { return theta_; }
  const GpOutcome& outcome() const { return outcome_; }

  // Sums over rows of the table, times `scale`.
  SvgpSums sums(std::span<const Index> rows, double scale, Slopes slopes) const;

  // Predictions of the current q. The bound must outlive it.
  std::unique_ptr<GpPosterior> posterior() const;

 private:
  friend class SvgpPosterior;
  struct Piece;

  void add_piece(std::span<const Index> rows, Slopes slopes, Piece& piece) const;
  void add_own_slopes(Index row, double mean, double variance, double half, Piece& piece) const;
  void add_cross_slopes(std::span<const Index> rows, Slopes slopes, std::vector<double> slope_of_a,
                        Piece& piece) const;
  void add_input_slopes(std::span<const Index> rows, const std::vector<double>& weights,
                        Piece& piece) const;
  // Slopes through K_zz; `product`: sum of (slopes of a) a'.
  void add_factor_slopes(const std::vector<double>& product, Slopes slopes, SvgpSums& sums) const;

  const GpProblem& problem_;
  const GpOutcome& outcome_;
  const InputColumns& columns_;
  MeanPrior mean_;
  numerics::DenseMatrix h_;
  Index m_ = 0;
  std::vector<double> theta_;
  CovariancePoints z_;
  mutable WorkerTeam team_;
  std::unique_ptr<TiledFactor> l_;
  numerics::DenseMatrix precision_, covariance_;  // covariance: S
  std::vector<double> shift_, m_of_q_;
  double divergence_ = 0.0;
};

}  // namespace credo::models
