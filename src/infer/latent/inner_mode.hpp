// The inner part of a latent Gaussian model: Laplace's approximation of f given φ, by a sparse factor of its curvature
// [tierney1986; rue2009; kristensen2016].
//
//   f̂(φ) = argmax_f log p(f, φ),   H(φ) = -∂² log p / ∂f² there = P' L D L' P,   q(f | φ) = N(f̂, H⁻¹)
//   log p̂(φ) = log p(f̂, φ) + ½ d log 2π - ½ log |H|
//
// f̂ is found by Newton's method from a start that is a function of φ alone, so that the answer doesn't depend on the points
// that were visited before.
#pragma once
#include "density/sparse_curvature.hpp"
#include "infer/latent/latent_block.hpp"

namespace credo::infer {

// Status::source of points without a Laplace approximation; `value`: the inner coordinate with the failed pivot.
inline constexpr std::int32_t kNoInnerMode = std::numeric_limits<std::int32_t>::min() + 16;
inline constexpr std::int32_t kInnerNotPeaked = kNoInnerMode + 1;

// The start of inner climbs: f̂ ≈ f₀ + S (φ - φ₀), S its derivative there by the implicit function theorem.
struct InnerReference {
  std::vector<double> position;     // f₀ and φ₀, D values
  std::vector<double> sensitivity;  // S, d × m, column-major; empty: 0
};

// The parts that threads share. The density must outlive it.
struct LatentModel {
  const density::LogDensity& density;
  LatentBlock block;
  std::shared_ptr<const density::SparseCurvature> curvature;
  InnerReference reference;
};

struct InnerNumbers;  // H and its factor

// q(f | φ), which threads may share.
class InnerNormal {
 public:
  std::span<const double> position() const { return position_; }  // f̂ and φ, D values
  double log_marginal() const { return log_marginal_; }           // log p̂(φ)
  double log_determinant() const;                                 // log |H|
  // Adds a draw of N(0, H⁻¹) to the inner values of x.
  void add_noise(Rng& rng, std::span<double> x) const;
  double log_density(std::span<const double> x) const;  // log q of the inner values
  std::vector<double> covariance() const;               // H⁻¹, d × d

 private:
  friend class InnerMode;
  const LatentBlock* block_ = nullptr;
  std::vector<double> position_;
  double log_marginal_ = -kInfinity;
  std::shared_ptr<InnerNumbers> numbers_;
};

// Finds q(f | φ). Working memory of one thread.
class InnerMode {
 public:
  explicit InnerMode(const LatentModel& model);
  ~InnerMode();

  // The approximation at φ. The functions below are about the last φ whose status was ok.
  density::Status find(std::span<const double> outer);
  const InnerNormal& normal() const { return normal_; }
  InnerNormal release();  // hands q(f | φ) over
  // ∇ log p̂(φ) = ∂_φ log p - ½ ∂_φ log |H| - ½ (∂f̂/∂φ)' ∂_f log |H|,   ∂f̂/∂φ = H⁻¹ ∂² log p / ∂f ∂φ.
  density::Status gradient(std::span<double> slope);
  // ∂f̂/∂φ, d × m.
  density::Status sensitivity(std::vector<double>& into);
  Index num_matrices() const { return num_matrices_; }

 private:
  void start_at(std::span<const double> outer);
  density::Status evaluate(std::span<const double> x, std::span<double> gradient, double& value);
  density::Status begin(std::span<const double> outer);
  density::Status factorise();
  density::Status step_to_mode();
  bool climb_along(double decrement);

  const LatentModel& model_;
  std::unique_ptr<density::Evaluator> evaluator_;
  std::unique_ptr<density::SparseCurvatureAt> curvature_;
  InnerNormal normal_;
  std::vector<double> here_, there_, gradient_, next_gradient_;
  std::vector<double> step_, rise_, weights_;  // inner values, and places of the pattern
  std::vector<double> log_det_slope_, direction_, product_;
  numerics::SparseWorkspace workspace_;
  double log_density_ = -kInfinity;
  Index num_matrices_ = 0;
};

}  // namespace credo::infer
