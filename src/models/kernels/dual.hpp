// Numbers with N first derivatives: forward differentiation of expressions that are templates on their scalar type.
// Dual<1, Dual<1>> has the mixed second derivative, too.
#pragma once
#include "base/types.hpp"

namespace credo::models {

template <int N, class V = double>
struct Dual {
  V v{};
  std::array<V, N> d{};

  Dual() = default;
  Dual(double value) : v(value) {}  // NOLINT: constants stand in expressions
  Dual(V value, const std::array<V, N>& slopes) : v(value), d(slopes) {}
  static Dual variable(V value, int k, double slope = 1.0) {
    Dual x;
    x.v = value;
    x.d[static_cast<std::size_t>(k)] = slope;
    return x;
  }
};

inline double value_of(double x) { return x; }
template <int N, class V>
double value_of(const Dual<N, V>& x) {
  return value_of(x.v);
}

// f(x) with f and f' at x's value.
template <int N, class V>
Dual<N, V> chained(const Dual<N, V>& x, const V& f, const V& slope) {
  Dual<N, V> y;
  y.v = f;
  for (std::size_t k = 0; k < N; ++k) y.d[k] = slope * x.d[k];
  return y;
}

template <int N, class V>
Dual<N, V> operator-(const Dual<N, V>& a) {
  Dual<N, V> y;
  y.v = -a.v;
  for (std::size_t k = 0; k < N; ++k) y.d[k] = -a.d[k];
  return y;
}
template <int N, class V>
Dual<N, V> operator+(const Dual<N, V>& a, const Dual<N, V>& b) {
  Dual<N, V> y;
  y.v = a.v + b.v;
  for (std::size_t k = 0; k < N; ++k) y.d[k] = a.d[k] + b.d[k];
  return y;
}
template <int N, class V>
Dual<N, V> operator-(const Dual<N, V>& a, const Dual<N, V>& b) {
  Dual<N, V> y;
  y.v = a.v - b.v;
  for (std::size_t k = 0; k < N; ++k) y.d[k] = a.d[k] - b.d[k];
  return y;
}
template <int N, class V>
Dual<N, V> operator*(const Dual<N, V>& a, const Dual<N, V>& b) {
  Dual<N, V> y;
  y.v = a.v * b.v;
  for (std::size_t k = 0; k < N; ++k) y.d[k] = a.d[k] * b.v + a.v * b.d[k];
  return y;
}
template <int N, class V>
Dual<N, V> operator/(const Dual<N, V>& a, const Dual<N, V>& b) {
  Dual<N, V> y;
  y.v = a.v / b.v;
  for (std::size_t k = 0; k < N; ++k) y.d[k] = (a.d[k] - y.v * b.d[k]) / b.v;
  return y;
}
template <int N, class V>
Dual<N, V> operator+(Dual<N, V> a, double b) {
  a.v = a.v + b;
  return a;
}
template <int N, class V>
Dual<N, V> operator+(double a, Dual<N, V> b) {
  return std::move(b) + a;
}
template <int N, class V>
Dual<N, V> operator-(Dual<N, V> a, double b) {
  a.v = a.v - b;
  return a;
}
template <int N, class V>
Dual<N, V> operator-(double a, const Dual<N, V>& b) {
  return -b + a;
}
template <int N, class V>
Dual<N, V> operator*(Dual<N, V> a, double b) {
  a.v = a.v * b;
  for (V& slope : a.d) slope = slope * b;
  return a;
}
template <int N, class V>
Dual<N, V> operator*(double a, Dual<N, V> b) {
  return std::move(b) * a;
}
template <int N, class V>
Dual<N, V> operator/(const Dual<N, V>& a, double b) {
  return a * (1.0 / b);
}
template <int N, class V>
Dual<N, V> operator/(double a, const Dual<N, V>& b) {
  const V y = a / b.v;
  return chained(b, y, V(-(y / b.v)));
}

template <int N, class V>
Dual<N, V> exp(const Dual<N, V>& x) {
  using std::exp;
  const V y = exp(x.v);
  return chained(x, y, y);
}
template <int N, class V>
Dual<N, V> log(const Dual<N, V>& x) {
  using std::log;
  return chained(x, V(log(x.v)), V(1.0 / x.v));
}
template <int N, class V>
Dual<N, V> log1p(const Dual<N, V>& x) {
  using std::log1p;
  return chained(x, V(log1p(x.v)), V(1.0 / (1.0 + x.v)));
}
template <int N, class V>
Dual<N, V> sqrt(const Dual<N, V>& x) {
  using std::sqrt;
  const V y = sqrt(x.v);
  return chained(x, y, V(0.5 / y));
}
template <int N, class V>
Dual<N, V> sin(const Dual<N, V>& x) {
  using std::cos, std::sin;
  return chained(x, V(sin(x.v)), V(cos(x.v)));
}
template <int N, class V>
Dual<N, V> cos(const Dual<N, V>& x) {
  using std::cos, std::sin;
  return chained(x, V(cos(x.v)), V(-sin(x.v)));
}
template <int N, class V>
Dual<N, V> asin(const Dual<N, V>& x) {
  using std::asin, std::sqrt;
  return chained(x, V(asin(x.v)), V(1.0 / sqrt(1.0 - x.v * x.v)));
}
template <int N, class V>
Dual<N, V> acos(const Dual<N, V>& x) {
  using std::acos, std::sqrt;
  return chained(x, V(acos(x.v)), V(-1.0 / sqrt(1.0 - x.v * x.v)));
}

// x^n for n = 0, 1, ...
template <class T>
T whole_power(const T& x, Index n) {
  T y = 1.0;
  for (Index k = 0; k < n; ++k) y = y * x;
  return y;
}

}  // namespace credo::models
