// Draws of the outcome of one density, as it stands in a program: y ~ normal(mu, sigma) T[0, ], y[n] ~ ...,
// target += poisson_lpmf(y | lambda).
#pragma once
#include "lang/trace/machine.hpp"

namespace credo::model {

// Why an outcome can't be drawn: at any point, or at this one.
struct NotDrawn {
  std::string reason, hint;
  bool is_of_point = false;
  std::int32_t statement = 0;
};

// One number for each element of the outcome, in storage order. Each element has a stream of its own, named by the
// seed, the path to the statement and the element: the same arguments give the same draw, whatever else is drawn.
// Throws NotDrawn.
std::vector<double> draw_outcome(lang::Machine& machine, const lang::SeenDensity& seen,
                                 std::uint64_t seed);

// The statement and element that draw an element of an outcome.
struct DrawPlace {
  const lang::typed::Call* call = nullptr;
  const lang::typed::Distribution* truncation = nullptr;  // null: none
  lang::DrawPath path = 0;                                // to the statement
  Index element = 0;                                      // of its outcome
};
// The same number as draw_outcome() gives for this element, with the current arguments. Empty if they aren't known
// yet, or if the outcome isn't a number with a univariate distribution.
std::optional<double> draw_element(lang::Machine& machine, const DrawPlace& at, std::uint64_t seed);
lang::DrawPath path_of_draw(const lang::Machine& machine);  // to the current statement

}  // namespace credo::model
