// Vector operations of the multistep methods. Values lie as [element][lane]; values of
// a lane come as a group of eight doubles in which the lanes repeat. Everything is elementwise, or
// a maximum, so a lane's bits don't depend on its neighbours.
#pragma once
#include "numerics/ode/lane_group.hpp"
#include "numerics/ode/multistep_formula.hpp"

namespace credo::numerics {

using Nordsieck = std::array<double*, MultistepFormula::kMost + 1>;
using NordsieckWeights = std::array<LaneGroup, MultistepFormula::kMost + 1>;  // by column, by lane

// to_j = sum_k binomial(k, j) powers_k from_k: the polynomials in steps of another length, one step
// later. Columns up to `order`; those above a lane's own order hold -0, which adds nothing.
// weights: 1 / (absolute + relative max(|from_0|, |to_0|)).
struct Prediction {
  const Nordsieck *from = nullptr, *to = nullptr;
  const NordsieckWeights* powers = nullptr;
  int order = 1;
  double absolute = 0.0, relative = 0.0;
  double* weights = nullptr;
  Index size = 0;
};
void predict(const Prediction& p);

// out = gamma f - (e + share slope): what Newton's method makes zero, slope = h y' as predicted.
struct Residual {
  const double *f = nullptr, *e = nullptr, *slope = nullptr;
  const LaneGroup *gamma = nullptr, *share = nullptr;
  Index size = 0;
  double* out = nullptr;
};
void residual(const Residual& r);

// e += change, y = start + e in the lanes that are `on` (not 0).
// worst: the largest |change| weights of each place of a group, NaN as infinity.
struct Change {
  const double *change = nullptr, *start = nullptr, *weights = nullptr;
  const LaneGroup* on = nullptr;
  double *e = nullptr, *y = nullptr;
  Index size = 0;
  double* worst = nullptr;
};
void apply(const Change& c);

// The largest |a - b| weights of each place of a group, NaN as infinity.
struct Distance {
  const double *a = nullptr, *b = nullptr, *weights = nullptr;
  Index size = 0;
  double* worst = nullptr;
};
void measure(const Distance& d);

// z_j = predicted_j + l_j e, and e_before = e, where l_j isn't 0.
struct Correction {
  const Nordsieck *predicted = nullptr, *z = nullptr;
  const NordsieckWeights* l = nullptr;
  int order = 1;
  const double* e = nullptr;
  double* e_before = nullptr;
  Index size = 0;
};
void correct(const Correction& c);

// Solves L U x = b for a block of columns, b as [row][column][lane] and overwritten. factors:
// [row][column] groups; below the diagonal L, above it U, on it the reciprocals of U's.
struct LaneSolve {
  const double* factors = nullptr;
  Index rows = 0, width = 0;  // width: columns times lanes
  double* b = nullptr;
};
void solve_factored(const LaneSolve& s);

}  // namespace credo::numerics
