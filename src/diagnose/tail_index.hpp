// How heavy the tails of draws are.
#pragma once
#include "diagnose/chains.hpp"

namespace credo::diagnose {

// Shape k of the generalised Pareto distribution that a tail beyond a high quantile tends to: moments of
// order 1 / k and above don't exist. k >= 1/2: no variance, a mean has no standard error;
// k >= 1: no mean; k <= 0: lighter than every power, or an end point.
struct TailIndex {
  double lower = kNaN, upper = kNaN;
  double largest() const { return std::isnan(lower) || lower < upper ? upper : lower; }
};

// From the tail_size smallest and largest draws [vehtari2024]. NaN where a tail is too
// short (below five draws), a draw isn't finite, or the quarter of a tail next to its threshold is
// equal to it.
TailIndex tail_index(const Chains& chains);

// 3 sqrt(N / r), at most N / 5 for up to 225 draws and N / 2 for more: N draws that are worth r N
// independent ones in their tails. 0 where that isn't known.
Index tail_size(const Chains& chains);

// Shape and scale of positive excesses over a threshold, sorted, at least five: the posterior mean of a profile
// likelihood on a grid [zhang2009], the shape drawn towards 1/2 as if by ten more observations.
struct ParetoFit {
  double shape = kNaN, scale = kNaN;
};
ParetoFit pareto_fit(std::span<const double> excesses);
inline double pareto_shape(std::span<const double> excesses) { return pareto_fit(excesses).shape; }

}  // namespace credo::diagnose
