// Matern kernels of smoothness nu = p + 1/2 [rasmussen2006, eq. 4.16], their spectra and their states [hartikainen2010].
#pragma once
#include "models/kernels/row_functions.hpp"

namespace credo::models {

constexpr Index kMostMaternOrder = 6;

// exp(-s) p! / (2p)! sum_i (p + i)! / (i! (p - i)!) (2 s)^(p - i), s = sqrt(2 nu) r / l.
template <class S>
S matern_value(Index p, const S& s) {
  using std::exp;
  S sum = 1.0, power = 1.0;  // coefficients relative to that of s^0
  double factor = 1.0;
  for (Index k = 1; k <= p; ++k) {
    // c_k / c_(k-1) of (2 s)^k with c_k = (2p - k)! / ((p - k)! k!)
    factor *= static_cast<double>(p - k + 1) / static_cast<double>(k * (2 * p - k + 1));
    power = power * (2.0 * s);
    sum = sum + factor * power;
  }
  return sum * exp(-s);
}
double matern_density(Index p, double length, double w);
void draw_matern_frequency(Index dimension, Index p, double length, Rng& rng, double* w);

// States f, f' / rate, f'' / rate², ... with rate = sqrt(2 nu) / l.
template <class T>
void matern_start(Index p, StateMatrices<T>& made);
template <class T>
void matern_move(Index p, const T& length, double step, StateMatrices<T>& made);

template <Index kOrder>
struct Matern {
  static Index order(const KernelOptions& o) { return kOrder >= 0 ? kOrder : o.order; }
  static std::vector<KernelParameter> parameters(const KernelOptions&) {
    return {{"length", KernelUnit::length, 0.3}};
  }
  template <class X, class T>
  static auto value(const KernelOptions& o, const X* x, const X* z, const T* t) {
    const Index p = order(o);
    return matern_value(
        p, std::sqrt(static_cast<double>(2 * p + 1)) * distance(o.dimension, x, z) / t[0]);
  }
  static double density(const KernelOptions& o, const double* t, double w) {
    return matern_density(order(o), t[0], w);
  }
  static void draw(const KernelOptions& o, const double* t, Rng& rng, double* w) {
    draw_matern_frequency(o.dimension, order(o), t[0], rng, w);
  }
  static int smoothness(const KernelOptions& o) { return static_cast<int>(order(o)); }

  static Index size(const KernelOptions& o) { return order(o) + 1; }
  template <class T>
  static void start(const KernelOptions& o, const T*, double, StateMatrices<T>& made) {
    matern_start(order(o), made);
  }
  template <class T>
  static void move(const KernelOptions& o, const T* t, double step, StateMatrices<T>& made) {
    matern_move(order(o), t[0], step, made);
  }
  static void observe(const KernelOptions& o, double, double* h) {
    std::fill_n(h, size(o), 0.0);
    h[0] = 1.0;
  }
};

}  // namespace credo::models
