// Counts of n trials over K categories: natural parameters log(theta_k / theta_K), k < K, A = n log(1 + sum of exp(eta)) [johnson1997, ch. 35].
#pragma once
#include "dist/families/family.hpp"
#include "numerics/elementary.hpp"

namespace credo::dist::counts_form {
using Numbers = std::vector<double>;

inline Numbers statistic(Params x, Params) { return {x.begin(), x.end() - 1}; }
// The probabilities of all categories.
inline Numbers shares(Params eta) {
  const double largest = std::max(0.0, *std::ranges::max_element(eta));
  Numbers theta;
  double sum = 0.0;
  for (const double e : eta) theta.push_back(numerics::exp(e - largest));
  theta.push_back(numerics::exp(-largest));
  for (const double t : theta) sum += t;
  for (double& t : theta) t /= sum;
  return theta;
}
inline bool is_inside(Params eta) {
  return std::ranges::all_of(eta, [](double e) { return std::isfinite(e); });
}
inline double log_partition(Params eta, double n) { return -n * numerics::log(shares(eta).back()); }
inline Numbers mean(Params eta, double n) {
  Numbers all = shares(eta);
  all.pop_back();
  for (double& m : all) m *= n;
  return all;
}
inline Numbers fisher(Params eta, double n) {
  const Numbers theta = shares(eta);
  Numbers all;
  for (std::size_t j = 0; j < eta.size(); ++j)
    for (std::size_t k = 0; k < eta.size(); ++k)
      all.push_back(n * ((j == k ? theta[j] : 0.0) - theta[j] * theta[k]));
  return all;
}
inline Numbers to_natural(Params theta) {
  Numbers eta;
  for (const double t : theta.first(theta.size() - 1))
    eta.push_back(numerics::log(t / theta.back()));
  return eta;
}
inline Numbers near_mean(Params mean, double n) {
  Numbers theta;
  double rest = 1.0;
  for (const double m : mean) theta.push_back(m / n), rest -= m / n;
  theta.push_back(rest);
  return to_natural(theta);
}

}  // namespace credo::dist::counts_form
