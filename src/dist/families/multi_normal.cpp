// Multivariate normal with covariance matrix Sigma = P^-1: A = h' Sigma h / 2 - log|P| / 2 for h = P mu.
#include "dist/families/matrix_form.hpp"
#include "dist/formula.hpp"

namespace credo::dist::families::multi_normal_family {
namespace {

using namespace matrix_form;

// n of n + n (n + 1) / 2 numbers.
std::size_t length_of(Params eta) {
  return static_cast<std::size_t>(
      0.5 * (std::sqrt(8.0 * static_cast<double>(eta.size()) + 9.0) - 3.0) + 0.5);
}
struct Moments2 {
  Numbers mu;
  RowMatrix sigma;
};
Numbers times(const RowMatrix& a, Params x) {
  Numbers all(x.size(), 0.0);
  for (Index i = 0; i < a.rows; ++i)
    for (Index j = 0; j < a.cols; ++j)
      all[static_cast<std::size_t>(i)] += a(i, j) * x[static_cast<std::size_t>(j)];
  return all;
}
Moments2 moments_of(Params eta) {
  const std::size_t n = length_of(eta);
  Moments2 moments{{}, inverse(precision_of(eta.subspan(n)))};
  moments.mu = times(moments.sigma, eta.first(n));
  return moments;
}
Numbers natural_from(const Moments2& moments) {
  const RowMatrix p = inverse(moments.sigma);
  Numbers natural = times(p, moments.mu);
  const Numbers rest = natural_of(p);
  natural.insert(natural.end(), rest.begin(), rest.end());
  return natural;
}
Numbers with_products(Params mu, const RowMatrix* sigma) {
  Numbers all(mu.begin(), mu.end());
  for (std::size_t j = 0; j < mu.size(); ++j)
    for (std::size_t i = 0; i <= j; ++i)
      all.push_back(mu[i] * mu[j] + (sigma == nullptr
                                         ? 0.0
                                         : (*sigma)(static_cast<Index>(i), static_cast<Index>(j))));
  return all;
}

Numbers statistic(Params x, Params) { return with_products(x, nullptr); }
double log_carrier(Params x, Params) { return -kHalfLog2Pi * static_cast<double>(x.size()); }
bool is_inside(Params eta) { return is_positive(precision_of(eta.subspan(length_of(eta)))); }
double log_partition(Params eta, Params) {
  const std::size_t n = length_of(eta);
  const Numbers mu = moments_of(eta).mu;
  double sum = 0.0;
  for (std::size_t i = 0; i < n; ++i) sum += mu[i] * eta[i];
  return 0.5 * (sum - log_det(precision_of(eta.subspan(n))));
}
Numbers mean(Params eta, Params) {
  const Moments2 moments = moments_of(eta);
  return with_products(moments.mu, &moments.sigma);
}

// Places of the factors of statistic k: one, or two.
struct Factors {
  Index i, j;  // j = -1: x_i alone
};
std::vector<Factors> factors_of(Index n) {
  std::vector<Factors> all;
  for (Index i = 0; i < n; ++i) all.push_back({i, -1});
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i <= j; ++i) all.push_back({i, j});
  return all;
}
Numbers fisher(Params eta, Params) {
  const Moments2 moments = moments_of(eta);
  const RowMatrix& s = moments.sigma;
  const auto mu = [&](Index k) { return moments.mu[static_cast<std::size_t>(k)]; };
  const std::vector<Factors> factors = factors_of(s.rows);
  Numbers all;
  for (const auto& [i, j] : factors)
    for (const auto& [k, l] : factors) {
      double covariance = 0.0;
      if (j < 0 && l < 0)
        covariance = s(i, k);
      else if (j < 0)
        covariance = mu(k) * s(i, l) + mu(l) * s(i, k);
      else if (l < 0)
        covariance = mu(i) * s(j, k) + mu(j) * s(i, k);
      else
        covariance = s(i, k) * s(j, l) + s(i, l) * s(j, k) + mu(i) * mu(k) * s(j, l) +
                     mu(i) * mu(l) * s(j, k) + mu(j) * mu(k) * s(i, l) + mu(j) * mu(l) * s(i, k);
      all.push_back(covariance);
    }
  return all;
}
Numbers to_natural(Params args) {
  const auto n = static_cast<std::size_t>(
      0.5 * (std::sqrt(4.0 * static_cast<double>(args.size()) + 1.0) - 1.0) + 0.5);
  return natural_from({Numbers(args.begin(), args.begin() + static_cast<std::ptrdiff_t>(n)),
                       square_of(args.subspan(n))});
}
Numbers to_args(Params eta, Params) {
  const Moments2 moments = moments_of(eta);
  Numbers args = moments.mu;
  args.insert(args.end(), moments.sigma.values.begin(), moments.sigma.values.end());
  return args;
}
Numbers near_mean(Params mean, Params) {
  const std::size_t n = length_of(mean);
  Moments2 moments{Numbers(mean.begin(), mean.begin() + static_cast<std::ptrdiff_t>(n)),
                   unpacked(mean.subspan(n))};
  for (Index i = 0; i < moments.sigma.rows; ++i)
    for (Index j = 0; j < moments.sigma.cols; ++j)
      moments.sigma(i, j) -= mean[static_cast<std::size_t>(i)] * mean[static_cast<std::size_t>(j)];
  return natural_from(moments);
}
}  // namespace

extern const ExponentialFamily multi_normal{.name = "multi_normal",
                                            .distribution = "multi_normal",
                                            .statistics = {"x", "x x'"},
                                            .naturals = {"Sigma^-1 mu", "-Sigma^-1 / 2"},
                                            .carrier = "-n log(2 pi) / 2",
                                            .reference = "kotz2000, ch. 45",
                                            .shapes = {ArgShape::vector, ArgShape::square},
                                            .statistic = statistic,
                                            .log_carrier = log_carrier,
                                            .is_inside = is_inside,
                                            .log_partition = log_partition,
                                            .mean = mean,
                                            .fisher = fisher,
                                            .to_natural = to_natural,
                                            .to_args = to_args,
                                            .near_mean = near_mean};

}  // namespace credo::dist::families::multi_normal_family
