// Factors of correlation matrices from canonical partial correlations [lewandowski2009].
//
//   z_ij = tanh(y_ij), i > j;  L_ij = z_ij sqrt(prod_{m<j} (1 - z_im^2)), L_ii the same with z = 1.
//
// Computed by l_ij = log sqrt(1 - z_ij^2) = log 2 - y_ij - log1p_exp(-2 y_ij), which keeps its
// digits when z rounds to 1: L = (tanh(Y) + I) .* exp(l U) with U the strict upper triangle of
// ones. Any log Jacobian of the maps built on it is a sum of l with whole weights.
#pragma once
#include "transform/parts.hpp"

namespace credo::transform {

// Place of unconstrained value k in the strict lower triangle.
struct Place {
  Index row, col;
};
std::vector<Place> places_by_row(Index n);     // (2,1), (3,1), (3,2), (4,1), ...
std::vector<Place> places_by_column(Index n);  // (2,1), (3,1), ..., (n,1), (3,2), ...

struct CorrelationFactor {
  Expr factor;          // n x n, lower triangular with rows of length one
  Expr log_complement;  // l, one for each unconstrained value
};
CorrelationFactor correlation_factor(const Expr& free, Index n, std::span<const Place> places);

// sum_k weight(place_k) l_k; 0 without places
Expr weighted_sum(const Expr& log_complement, std::span<const Place> places,
                  const std::function<double(const Place&)>& weight);

// The unconstrained values of a factor of plain numbers, column-major: asinh(L_ij / sqrt(sum_{m>j} L_im^2)).
std::vector<double> free_partial_correlations(std::span<const double> factor, Index n,
                                              std::span<const Place> places);

}  // namespace credo::transform
