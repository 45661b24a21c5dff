// Truncated Taylor series in one variable t, the scalar over which the incomplete Gamma and Beta
// functions are evaluated: coefficient k is the k-th derivative by a shape parameter over k!.
#pragma once
#include "base/types.hpp"

namespace credo::numerics {

inline constexpr size_t kTaylorOrder = 3;

struct Taylor {
  std::array<double, kTaylorOrder + 1> c{};  // c[0] + c[1] t + ...

  static Taylor linear(double value, double slope) { return {{value, slope}}; }
  double value() const { return c[0]; }
  // The k-th derivative at t = 0, k <= kTaylorOrder.
  double derivative(size_t k) const {
    constexpr std::array<double, kTaylorOrder + 1> kFactorial = {1, 1, 2, 6};
    return c[k] * kFactorial[k];
  }
};

inline Taylor operator+(Taylor u, const Taylor& v) {
  for (size_t k = 0; k <= kTaylorOrder; ++k) u.c[k] += v.c[k];
  return u;
}

inline Taylor operator*(Taylor u, double factor) {
  for (double& c : u.c) c *= factor;
  return u;
}

inline Taylor operator-(const Taylor& u, const Taylor& v) { return u + v * -1.0; }

inline Taylor operator*(const Taylor& u, const Taylor& v) {
  Taylor product;
  for (size_t k = 0; k <= kTaylorOrder; ++k) {
    for (size_t j = 0; j <= k; ++j) product.c[k] += u.c[j] * v.c[k - j];
  }
  return product;
}

// u / (value + slope t)
inline Taylor divide(const Taylor& u, double value, double slope) {
  Taylor quotient;
  for (size_t k = 0; k <= kTaylorOrder; ++k) {
    const double carried = k == 0 ? 0 : slope * quotient.c[k - 1];
    quotient.c[k] = (u.c[k] - carried) / value;
  }
  return quotient;
}

Taylor exp(const Taylor& u);
Taylor log(const Taylor& u);
Taylor expm1(const Taylor& u);
Taylor log1m(const Taylor& u);  // log(1 - u)

}  // namespace credo::numerics
