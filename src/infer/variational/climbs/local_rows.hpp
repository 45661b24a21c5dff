// Values that belong to rows of the data: z[n] of a parameter z with a value, or several, for each row; and features, columns of the data.
#pragma once
#include "density/model.hpp"
#include "infer/variational/families/row_network.hpp"

namespace credo::infer {

struct LocalValues {
  Index num_rows = 0, num_each = 0;
  std::vector<Index> coordinates = {};  // rows × K, row by row
};

// The coordinates of parameters whose first index is the row. Throws Error(usage) for a density without names, for names that aren't
// there, and for parameters of different numbers of rows.
LocalValues local_values(const density::LogDensity& density, std::span<const std::string> names);

// The coordinates of parameters, all of their elements.
std::vector<Index> coordinates_of(const density::LogDensity& density,
                                  std::span<const std::string> names, std::string_view option);

// Columns of data variables that have a value for each row: those with more dimensions are several columns. Rows of a scalar: 1.
// Throws Error(usage) where a name isn't there, or has another number of rows; num_rows 0: that of the first one.
FeatureTable features_of(std::span<const density::ObservedVariable> data,
                         std::span<const std::string> names, Index num_rows);

// Means and standard deviations of columns. A column of equal values has 1.
struct FeatureScale {
  std::vector<double> mean, sd;
};
FeatureScale scale_of(const FeatureTable& features);
void standardise(FeatureTable& features, const FeatureScale& scale);

// Throws Error(usage) unless each row of the likelihood meets the local values of one row at most: its own, where there are as many rows
// of both. At a random point the values of half of the rows are moved, by each binary digit of their numbers, and then those of the
// other half: a row of the likelihood that meets one row changes with one of the halves only, and which one is the digit.
void require_local(const density::LogDensity& density, const LocalValues& local,
                   std::span<const std::string> names, std::uint64_t seed);

}  // namespace credo::infer
