// An ensemble of states that takes in an outcome: the Kalman filter's update with the covariances of its members
// [evensen1994; burgers1998; bishop2001]. With members x_i, images h_i = E(y | x_i), anomalies A and Z, whose columns are
// (x_i - mean)/sqrt(N - 1) and R^(-1/2) (h_i - mean)/sqrt(N - 1), and an outcome y ~ N(h(x), R):
//
//   gain         K = A Z' (I + Z Z')^-1 R^(-1/2)
//   perturbed    x_i += K (y - h_i - e_i),   e_i ~ N(0, R)
//   square root  mean += K (y - mean h),  A becomes A T,   T = (I + Z' Z)^(-1/2), symmetric, so that anomalies add up to 0
//
// All work is in the space of the m numbers of the outcome, however many members there are.
#pragma once
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::numerics {

struct EnsembleOutcome {
  DenseMatrix images;           // m x N
  DenseMatrix noise;            // R, positive definite; the mean of the members' where they differ
  std::vector<double> outcome;  // m
};

// Both change the states, d x N with N at least 2, and return log N(y; mean h, cov h + R).
double perturbed_update(DenseMatrix& states, const EnsembleOutcome& seen,
                        const DenseMatrix& perturbations);  // e: m x N
double square_root_update(DenseMatrix& states, const EnsembleOutcome& seen);

std::vector<double> mean_of_members(const DenseMatrix& states);
// Inflation: members move away from their mean by a factor.
void spread_members(DenseMatrix& states, double factor);

}  // namespace credo::numerics
