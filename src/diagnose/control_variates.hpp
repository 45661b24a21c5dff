// Means of draws with less error, by control variates from the gradient of their log density [mira2013; south2022].
//
// For a distribution with log density l, the expectation of  ΔP + ∇P·∇l  is 0 for each polynomial P (where the density
// falls to 0 at all ends, as it does on the unconstrained values of a program). A sum of such variates with fitted coefficients
// is taken away from the values whose mean is estimated: the mean stays, most of the variance goes where values are
// nearly polynomials.
#pragma once
#include "diagnose/chains.hpp"

namespace credo::diagnose {

// Draws of all chains, one chain after another: position and gradient of each, D numbers.
struct GradientDraws {
  Index dimension = 0, num_draws = 0, num_chains = 0;
  std::vector<double> positions = {}, gradients = {};  // [draw][coordinate]
};

struct ControlVariates {
  int degree = 0;              // degree of the polynomials: 1 or 2
  Index count = 0;             // variates
  std::vector<double> values;  // [draw][variate], in units of their standard deviations
};

// Degree 2 has D (D + 3) / 2 variates, degree 1 has D. The highest degree is taken for which each half of the draws has five
// draws a variate; throws Error(usage) where not even degree 1 has, or a gradient isn't finite.
ControlVariates control_variates(const GradientDraws& draws);

// The values less their variates: the same expectation. The coefficients of the first half of each chain are those of the
// least squares in the second halves, and the other way round, so that fitting them brings no bias.
std::vector<double> controlled(const Chains& values, const ControlVariates& variates);

}  // namespace credo::diagnose
