// The families, and the functions that all of them share.
#include "base/error.hpp"
#include "infer/core/vectors.hpp"
#include "infer/variational/families/normal_family.hpp"
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::infer {

std::span<const FamilySpec> families() {
  static constexpr std::array kFamilies = {
      FamilySpec{"full", make_full_normal}, FamilySpec{"diagonal", make_diagonal_normal},
      FamilySpec{"low_rank", make_low_rank_normal}, FamilySpec{"blocks", make_block_normal}};
  return kFamilies;
}

const FamilySpec& family_of(CovarianceShape shape) {
  return families()[static_cast<std::size_t>(shape)];
}

std::vector<double> precision_of(const FamilySetup& setup) {
  const Index n = ssize(setup.mean);
  std::vector<double> precision;
  if (ssize(setup.covariance) == n) {
    for (const double variance : setup.covariance) precision.push_back(1.0 / variance);
  } else {
    precision = numerics::inverse_from_factor(
                    numerics::lower_factor(numerics::RowMatrix(n, n, setup.covariance)))
                    .values;
  }
  for (std::size_t d = 0; d < setup.mean.size(); ++d)
    if (!(precision[ssize(precision) == n ? d : d * setup.mean.size() + d] > 0.0))
      throw Error(ErrorCode::evaluation, "a covariance isn't positive definite", "approximation",
                  "credo sample draws from any density with a gradient");
  return precision;
}

void NormalFamily::place_draws(std::span<const double> z, std::span<double> x,
                               std::span<double> log_q) {
  const auto base = static_cast<std::size_t>(num_base()), n = static_cast<std::size_t>(dimension());
  for (std::size_t s = 0; s < log_q.size(); ++s) {
    const std::span<double> own = x.subspan(s * n, n);
    place(z.subspan(s * base, base), own);
    log_q[s] = log_density(own);
  }
}

void NormalFamily::pull_back_draws(std::span<const double> z, std::span<const double> v,
                                   std::span<const double> w, std::span<double> into) {
  const auto base = static_cast<std::size_t>(num_base()), n = static_cast<std::size_t>(dimension());
  std::vector<double> x(n), along(n), slope(into.size());
  for (std::size_t s = 0; s < w.size(); ++s) {
    const std::span<const double> own = z.subspan(s * base, base);
    place(own, x);
    score(x, along);
    for (std::size_t d = 0; d < n; ++d) along[d] = v[s * n + d] - w[s] * along[d];
    pull_back(own, along, into);
    std::fill(slope.begin(), slope.end(), 0.0);
    add_parameter_score(x, slope);
    add(into, -w[s], slope);
  }
}

void NormalFamily::add_parameter_score(std::span<const double> x, std::span<double> into) {
  slope_.resize(x.size());
  projected_.resize(static_cast<std::size_t>(num_base()));
  entropy_slope_.assign(into.size(), 0.0);
  score(x, slope_);
  for (double& s : slope_) s = -s;
  project(slope_, projected_);
  pull_back(projected_, slope_, into);
  add_entropy_slope(entropy_slope_);
  add(into, -1.0, entropy_slope_);
}

std::vector<double> NormalFamily::mean() const {
  std::vector<double> x(static_cast<std::size_t>(dimension())),
      z(static_cast<std::size_t>(num_base()), 0.0);
  place(z, x);
  return x;
}

// The columns of R.
void NormalFamily::for_each_column(
    const std::function<void(std::span<const double>)>& visit) const {
  const std::vector<double> centre = mean();
  std::vector<double> z(static_cast<std::size_t>(num_base()), 0.0), column(centre.size());
  for (double& one : z) {
    one = 1.0;
    place(z, column);
    add(column, -1.0, centre);
    visit(column);
    one = 0.0;
  }
}

std::vector<double> NormalFamily::covariance() const {
  const auto n = static_cast<std::size_t>(dimension());
  std::vector<double> sum(n * n, 0.0);
  for_each_column([&](std::span<const double> column) {
    for (std::size_t j = 0; j < n; ++j) add(std::span(sum).subspan(j * n, n), column[j], column);
  });
  return sum;
}

CovarianceParts NormalFamily::covariance_parts() const {
  constexpr Index kMostOfMatrix = 2000;
  if (dimension() > kMostOfMatrix) return {};
  return {.covariance = covariance()};
}

std::vector<double> NormalFamily::variances() const {
  std::vector<double> sum(static_cast<std::size_t>(dimension()), 0.0);
  for_each_column([&](std::span<const double> column) {
    for (std::size_t d = 0; d < sum.size(); ++d) sum[d] += column[d] * column[d];
  });
  return sum;
}

}  // namespace credo::infer
