// Agreement of two estimates of one expectation, each with its own Monte Carlo error.
#pragma once
#include "diagnose/chains.hpp"

namespace credo::diagnose {

// An estimate of an expectation, its standard error, and the degrees of freedom that the error rests on.
struct Estimate {
  double value = kNaN, error = kNaN, freedom = kInfinity;
};

// The mean of correlated chains: the error is mcse_mean, the freedom is effective draws less 1. Draws that are all
// the same have the error 0; NaN for draws that aren't finite and chains too short for an effective size.
Estimate estimate_of_chains(const Chains& values);

// The mean of independent estimates of the same thing (of populations, of repeated runs), each counting the same:
// the error is that of a mean of C values, the freedom C - 1. NaN for fewer than two.
Estimate estimate_of_batches(std::span<const double> estimates);

// |a - b| in combined errors, sqrt(a.error² + b.error²); 0 where the values are equal, infinite where both errors
// are 0 and the values differ.
double combined_errors(const Estimate& a, const Estimate& b);

// Two-sided p-value of the difference: Student's t with the degrees of freedom of Welch and Satterthwaite
// [welch1947]. NaN where a value or an error is NaN.
double disagreement_p_value(const Estimate& a, const Estimate& b);

}  // namespace credo::diagnose
