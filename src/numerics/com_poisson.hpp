// Sums of the Conway-Maxwell-Poisson distribution of counts k with mu = exp(eta) and shape nu > 0:
// its masses are proportional to exp(nu T(k)), T(k) = k eta - log k! [conway1962, guikema2008].
//
// Terms are summed from the largest one outwards until the rest is below 1e-22 of the sum, by a geometric bound. From
// nu mu >= 60 and mu >= 8 nu on the sum over all counts is its asymptotic series with eight terms [gaunt2019], whose
// logarithm errs by less than 3e-13 there.
#pragma once
#include "base/types.hpp"

namespace credo::numerics {

// Errors: log_sum 3e-13, and 1e-14 times nu mu (1 + |eta|), which is the size of the terms; means 1e-14 times the largest of them and mu; the
// others 1e-11, where moments are of the size of the standard deviations and nu is below 100
// (tests/numerics/com_poisson_test.cpp).
struct ComPoisson {
  double log_sum;  // log Z = log sum_k exp(nu T(k))
  double mean,
      mean_log;  // E K and E T(K): log Z has the derivatives nu E K by eta and E T(K) by nu
  double variance, covariance, variance_log;  // Var K, Cov(K, T(K)), Var T(K)
};

inline constexpr double kMostComPoissonTerms = 1e6;

// Sums over the counts k with from <= k <= to; both are whole numbers, and `to` may be infinite. NaN outside of the domain (eta
// finite, 0 < nu < infinity), where the sum would take more than kMostComPoissonTerms terms (nu close to 0 and eta > 0), and
// where counts are beyond 2^52. An empty range has log_sum = -infinity.
ComPoisson com_poisson(double eta, double nu, double from, double to);

}  // namespace credo::numerics
