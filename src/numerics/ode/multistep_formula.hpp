// The formulas of the multistep methods, for steps of equal length.
//
// A method of order q keeps the polynomial pi(x) = z_0 + z_1 x + ... + z_q x^q, x = (t - t_n) / h:
// for BDF the one through the last q + 1 values of y, for Adams the one with the last value and the
// last q slopes. A step predicts by it and corrects it by e = y_n - predicted y_n,
//   z_j = predicted z_j + l_j e,   h f(t_n, y_n) = predicted z_1 + l_1 e
// [hairer1993, III.6]; polynomials through values only as in [shampine1997].
#pragma once
#include "base/types.hpp"

namespace credo::numerics {

enum class MultistepMethod : std::uint8_t { adams, bdf };

struct MultistepFormula {
  static constexpr int kMost = 12;
  using Polynomial = std::array<double, kMost + 2>;  // coefficients from x^0 on

  explicit MultistepFormula(MultistepMethod method);

  int max_order = 0;  // arrays below are by order, from 1 on
  std::array<Polynomial, kMost + 1> l{};
  // The local error of order q is taken for error[q] h^(q+1) y^(q+1), and h^(q+1) y^(q+1) is
  // high[q] e.
  std::array<double, kMost + 1> error{}, high{};
  // Difference of the polynomials of orders q - 1 and q: z_q times this; leading term x^q.
  std::array<Polynomial, kMost + 1> growth{};
  std::array<double, kMost + 1> factorial{};
};

}  // namespace credo::numerics
