// Explicit Runge-Kutta pairs with an error estimate.
#pragma once
#include "base/types.hpp"

namespace credo::numerics {

// Stages k_i = f(t + c_i h, y + h sum_j a_ij k_j); y' = y + h sum b_i k_i, and h sum e_i k_i is
// what y' differs by from the result of the companion of lower order.
struct EmbeddedPair {
  static constexpr int kMost = 7;
  int stages = 0;
  int order = 0;  // order of the error estimate, plus one: the step scales with error^(-1/order)
  bool last_is_first = false;  // the last stage is f at the new point
  std::array<double, kMost> c{}, b{}, e{}, dense{};
  std::array<std::array<double, kMost>, kMost> a{};
  bool is_dense = false;  // `dense` gives a solution between the ends of a step
};

// Order 5(4) of Dormand and Prince (1980) with the continuous extension of order 4 of Hairer,
// Nørsett and Wanner (Solving Ordinary Differential Equations I, II.6), and the pair of Cash and Karp
// (1990).
extern const EmbeddedPair kDormandPrince, kCashKarp;

}  // namespace credo::numerics
