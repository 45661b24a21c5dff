// Test whether numbers are uniform on (0, 1), by their empirical distribution function at K points at once [sailynoja2022].
#pragma once
#include "base/types.hpp"

namespace credo::diagnose {

// How many of n numbers lie at or below k / K, k = 1 ... K - 1.
struct EcdfBand {
  std::vector<Index> lower, upper;  // K - 1 counts each, both allowed
  bool operator==(const EcdfBand&) const = default;
};

// n uniform numbers stay within the band at all points with this probability at least, and leave it at each point
// with about the same. n >= 1, K >= 2, 0 < probability < 1.
EcdfBand ecdf_band(Index n, Index num_points, double probability);

// The probability that n uniform numbers are somewhere as far from uniform as these or further: exact, by the
// distribution of the counts from one point to the next. NaN without numbers.
double ecdf_p_value(std::span<const double> values, Index num_points);

// Counts at or below k / K, k = 1 ... K - 1.
std::vector<Index> ecdf_counts(std::span<const double> values, Index num_points);

}  // namespace credo::diagnose
