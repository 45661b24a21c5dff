// Automatic relevance determination by type-II maximum likelihood [mackay1992interpolation; tipping2001]: the precisions of coefficients,
// and the sd of the noise, at which the outcome is most probable with the coefficients integrated out.
//
//   y ~ N(X w, σ² I),  w_d ~ N(0, 1 / α_d),  log p(y | α, σ) = log N(y | 0, C),  C = σ² I + X diag(1 / α) Xᵀ
//
//   em             E: w | y normal; M: α_d = 1 / (μ_d² + Σ_dd), σ² = (‖y - X μ‖² + tr XᵀX Σ) / N [tipping2001, sec. 2.3]
//   mackay         fixed point: g_d = 1 - α_d Σ_dd, α_d = g_d / μ_d², σ² = ‖y - X μ‖² / (N - Σ g)
//   evidence       each α_d at its maximum given the others, in turn [tipping2003, sec. 3]
//   nonfactorial   the same function as the mode of a non-factorial prior of w: reweighted l1 [wipf2008, sec. 3]
#pragma once
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::models {

struct ArdData {
  std::vector<std::vector<double>> columns = {};  // D columns of N rows
  std::vector<double> outcome = {};
  double sigma = 0.0;  // sd of the noise; 0: unknown
};

struct ArdMethod {
  std::string_view name, words;
  // One round of updates.
  void (*update)(class ArdState& state);
  Index most_rounds;
};
std::span<const ArdMethod* const> ard_methods();  // alphabetical
const ArdMethod* find_ard_method(std::string_view name);

inline constexpr double kPruned = 1e6;         // a larger precision counts as infinite
inline constexpr double kArdTolerance = 1e-8;  // nats

struct ArdFit {
  std::vector<double> precision;  // infinite: pruned
  std::vector<double> mean, sd;   // of coefficients given the precisions; 0 where pruned
  double sigma = 0.0, log_evidence = 0.0;
  Index num_rounds = 0;
  // Nats that the evidence would gain at least by another precision or noise, all others held.
  double gain_left = 0.0;
  bool converged = false, fits_exactly = false;  // fits_exactly: the noise fell to 0
};
// Columns and outcome with an sd of about 1, and centred if an intercept is left out (its mode is the mean of the outcome then).
ArdFit fit_ard(const ArdData& data, const ArdMethod& method);

// log N(y | 0, C), by the Cholesky factor of C itself, O(N³).
double direct_evidence(const ArdData& data, std::span<const double> precision, double sigma);

// Precisions and noise with what follows from them. Columns with infinite precision take no time.
class ArdState {
 public:
  explicit ArdState(const ArdData& data);

  std::size_t size() const { return precision_.size(); }
  void set(std::vector<double> precision, double noise);  // variance of the noise
  void set_precision(std::size_t d, double precision);
  void set_noise(double variance);

  const std::vector<double>& precision() const { return precision_; }
  double noise() const { return noise_; }
  bool is_noise_known() const { return data_.sigma > 0.0; }
  double log_evidence() const { return log_evidence_; }
  const std::vector<double>& mean() const { return mean_; }
  double variance(std::size_t d) const { return variance_[d]; }
  double residual() const { return residual_; }  // ‖y - X μ‖²
  double known() const { return known_; }  // Σ g_d, the number of well-determined coefficients
  double num_rows() const { return static_cast<double>(data_.outcome.size()); }
  double product(std::size_t i, std::size_t j) const {
    return gram_(static_cast<Index>(i), static_cast<Index>(j));
  }
  double product(std::size_t i) const { return with_outcome_[i]; }
  double gain_of_noise() const;
  // s_d = x_dᵀ C_d⁻¹ x_d, q_d = x_dᵀ C_d⁻¹ y, with C_d the covariance without column d; and x_dᵀ C⁻¹ x_d with it.
  struct Fit {
    double s = 0.0, q = 0.0, full = 0.0;
  };
  Fit fit_of(std::size_t d) const;
  // The best precision given the others, and the gain of evidence by it.
  double best_precision(std::size_t d) const;
  double gain_of(std::size_t d) const;

 private:
  void solve();

  const ArdData& data_;
  numerics::DenseMatrix gram_;
  std::vector<double> with_outcome_, precision_, mean_, variance_;
  double square_ = 0.0, noise_ = 1.0, log_evidence_ = 0.0, residual_ = 0.0, known_ = 0.0;
  std::vector<std::size_t> active_;
  numerics::DenseMatrix inverse_root_;  // U⁻¹ of M = Uᵀ U over the active columns
};

}  // namespace credo::models
