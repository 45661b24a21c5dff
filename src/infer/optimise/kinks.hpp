// Kinks of a log density: double-exponential priors of single unconstrained values.
//
//   log p(x) = f(x) - Σ_d rate_d |x_d - centre_d|,  f smooth
#pragma once
#include "density/log_density.hpp"

namespace credo::infer {

struct Kinks {
  std::vector<double> centres, rates;  // D values; a rate of 0: no kink
  std::vector<double> slopes_there;    // derivative that the program has at the centre itself

  bool any() const;
  bool is_there(std::size_t d) const { return rates[d] > 0.0; }
  bool holds(std::size_t d, double x) const { return is_there(d) && x == centres[d]; }
  // The derivative that the priors with kinks have in a gradient of the program at x_d.
  double slope(std::size_t d, double x) const;
  // The least change of a gradient: 0 is in the subdifferential where it is 0. `smooth`: derivative of f.
  double subgradient(std::size_t d, double x, double smooth) const;
};

// Reads the double-exponential statements of a program, each of which must be a sum over single unconstrained values with centres and
// scales that no parameter moves; this is checked at points. Throws Error(usage) for another one, and without any.
Kinks find_kinks(const density::LogDensity& density, std::string_view method);

}  // namespace credo::infer
