// Normal distributions of the unconstrained values, which a variational bound is maximised over:
//
//   x = c + U (m + C z),   z ~ N(0, I), C lower triangular or diagonal
//
// The centre c is fixed, and so is the root U of a covariance, lower triangular or diagonal. The parameters λ are m, then log C_dd,
// and with a full covariance the columns of C below its diagonal; λ = 0 is N(c, U Uᵀ), and where that is nearly the
// best distribution a bound has nearly the same curvature in all of λ.
#pragma once
#include "infer/mcmc/hamiltonian/metric.hpp"

namespace credo::infer {

enum class CovarianceShape { full, diagonal };
inline constexpr std::array<std::string_view, 2> kCovarianceShapeNames = {"full", "diagonal"};
inline constexpr std::span<const std::string_view> enum_names(CovarianceShape) {
  return kCovarianceShapeNames;
}

class NormalDistribution {
 public:
  NormalDistribution(CovarianceShape shape, std::vector<double> centre,
                     Metric units);  // U Uᵀ: its inverse

  Index dimension() const { return ssize(centre_); }
  Index num_parameters() const;
  void move_to(std::span<const double> parameters);

  // The draw of the distribution that the standard normal variates z make. Neither this nor pull_back allocates.
  void place(std::span<const double> z, std::span<double> x);
  // ∂x/∂λ transposed, times the gradient of a function at the draw of z: added to `into`.
  void pull_back(std::span<const double> z, std::span<const double> gradient,
                 std::span<double> into);
  // log |∂x/∂z|, and its gradient in λ, which is added to `into`.
  double log_root_determinant() const;
  void add_slope_of_root(std::span<double> into) const;
  double log_density(std::span<const double> z) const;  // at the draw of z

  std::vector<double> mean() const;
  std::vector<double> variances() const;  // marginal variance of each value

 private:
  bool is_full() const { return shape_ == CovarianceShape::full; }
  // Calls visit(k, i, j), k the parameter of C_ij, i > j, in a full covariance.
  void for_each_below(auto visit) const {
    const std::size_t n = centre_.size();
    std::size_t k = 2 * n;
    for (std::size_t j = 0; is_full() && j < n; ++j)
      for (std::size_t i = j + 1; i < n; ++i) visit(k++, i, j);
  }

  CovarianceShape shape_;
  std::vector<double> centre_;
  Metric units_;
  double log_root_of_units_ = 0.0;
  std::vector<double> parameters_, scales_;  // C_dd
  std::vector<double> work_;
};

}  // namespace credo::infer
