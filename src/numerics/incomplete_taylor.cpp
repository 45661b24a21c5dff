// Exponential and logarithm of truncated Taylor series, by the recurrences of their differential
// equations: e' = u' e and l' u = u' [griewank2008, table 13.2].
#include "numerics/incomplete_taylor.hpp"

#include "numerics/elementary.hpp"

namespace credo::numerics {
namespace {

// The series e with e' = u' e from its first coefficient.
Taylor exponential_from(double first, const Taylor& u) {
  Taylor e;
  e.c[0] = first;
  if (first == 0) return e;
  for (size_t k = 1; k <= kTaylorOrder; ++k) {
    double sum = 0;
    for (size_t j = 1; j <= k; ++j) sum += static_cast<double>(j) * u.c[j] * e.c[k - j];
    e.c[k] = sum / static_cast<double>(k);
  }
  return e;
}

// The series l with l' u = u' from its first coefficient.
Taylor logarithm_from(double first, const Taylor& u) {
  Taylor l;
  l.c[0] = first;
  for (size_t k = 1; k <= kTaylorOrder; ++k) {
    double sum = 0;
    for (size_t j = 1; j < k; ++j) sum += static_cast<double>(j) * l.c[j] * u.c[k - j];
    l.c[k] = (u.c[k] - sum / static_cast<double>(k)) / u.c[0];
  }
  return l;
}

}  // namespace

Taylor exp(const Taylor& u) { return exponential_from(exp(u.c[0]), u); }

Taylor log(const Taylor& u) { return logarithm_from(log(u.c[0]), u); }

Taylor expm1(const Taylor& u) {
  Taylor e = exp(u);
  e.c[0] = expm1(u.c[0]);
  return e;
}

Taylor log1m(const Taylor& u) { return logarithm_from(log1p(-u.c[0]), Taylor::linear(1, 0) - u); }

}  // namespace credo::numerics
