// Metrics that vary with the position, made of a symmetric matrix B at one: G = Q f(Λ) Qᵀ with
// B = Q Λ Qᵀ.
//
//   softabs   B is the Hessian of the log density, f(λ) = λ coth(α λ): smooth, positive, |λ| where
//             α |λ| is large and 1/α at 0; α bounds the local scale by sqrt(α) [betancourt2013]
//   fisher    B is the Fisher metric, f(λ) = λ: a point where it isn't positive definite is refused
//             [girolami2011]
#pragma once
#include "density/log_density.hpp"

namespace credo::infer {

enum class LocalMetricKind { softabs, fisher };
inline constexpr std::array<std::string_view, 2> kLocalMetricNames = {"softabs", "fisher"};
inline constexpr std::span<const std::string_view> enum_names(LocalMetricKind) {
  return kLocalMetricNames;
}

struct LocalMetricOptions {
  LocalMetricKind kind = LocalMetricKind::softabs;
  double softabs_alpha = 1.0;

  // The matrix that the metric requests.
  density::Want want() const {
    return kind == LocalMetricKind::softabs ? density::Want::hessian : density::Want::information;
  }
};

// Throws Error(usage) unless the density has the matrix that the metric is made of.
void check_has_matrix(const LocalMetricOptions& options, const density::LogDensity& density,
                      std::string_view sampler);

// λ coth(α λ) and its derivative; they keep their digits for every λ.
double soft_abs(double lambda, double alpha);
double soft_abs_derivative(double lambda, double alpha);

// The metric at one point. Vectors have D values, matrices D × D. Nothing allocates but the
// constructor.
class LocalMetric {
 public:
  LocalMetric(const LocalMetricOptions& options, Index dimension);  // the identity

  // From B; the mean of B and Bᵀ counts. False where it isn't finite or G not positive definite;
  // the metric means nothing then. O(D³).
  [[nodiscard]] bool set(std::span<const double> matrix);

  double log_determinant() const { return log_determinant_; }  // log determinant of G
  void momentum(std::span<const double> velocity, std::span<double> momentum);  // G velocity
  void velocity(std::span<const double> momentum, std::span<double> velocity);  // G⁻¹ momentum
  void shape_momentum(std::span<const double> noise, std::span<double> momentum);  // ~ N(0, G)
  double momentum_norm2(std::span<const double> momentum);  // momentumᵀ G⁻¹ momentum
  double move_norm2(std::span<const double> move);          // moveᵀ G move
  void matrix(std::span<double> out);                       // G

  // The weights W with ∂/∂θ_i (½ log|G| + ½ momentumᵀ G⁻¹ momentum) = ½ Σ_jk W_jk ∂B_jk/∂θ_i:
  //   W = Q (diag(J_aa / f_a) - J ∘ w wᵀ) Qᵀ,  w = f(Λ)⁻¹ Qᵀ momentum,
  //   J_ab = (f(λ_a) - f(λ_b)) / (λ_a - λ_b),  J_aa = f'(λ_a)                [betancourt2013]
  // O(D³).
  void weights(std::span<const double> momentum, std::span<double> out);

 private:
  double& vector(std::size_t a, std::size_t d) { return vectors_[a * n_ + d]; }
  void rotate(std::span<const double> x);  // rotated_ = Qᵀ x
  void rotate_back(std::span<double> out) const;
  void conjugate(std::span<double> out);  // out = Q inner_ Qᵀ
  bool fill_functions();
  double slope_between(std::size_t a, std::size_t b) const;  // J_ab

  LocalMetricOptions options_;
  std::size_t n_;
  std::vector<double> vectors_, lambda_, f_, slopes_;  // columns of Q; J
  std::vector<double> rotated_, inner_, work_;
  double log_determinant_ = 0.0;
};

}  // namespace credo::infer
