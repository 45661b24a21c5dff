// Folds: sets of rows that are left out together.
#pragma once
#include "results/loo/refit.hpp"

namespace credo::results {

// Folds of almost the same size, at random; each row is in one. 2 <= count <= num_rows, or Error(usage).
std::vector<Fold> random_folds(Index num_rows, Index count, std::uint64_t seed);
// Folds with each level of `values`, one for each row, spread over them as evenly as possible.
std::vector<Fold> stratified_folds(std::span<const Index> values, Index count, std::uint64_t seed);
// A fold for each level of `groups`, one of each row, ascending. Throws Error(usage) for a single level.
std::vector<Fold> group_folds(std::span<const Index> groups);

// A value for each row from values of one statement's rows: those of each statement in turn. Throws Error(data) where a
// statement has another number of rows.
std::vector<Index> values_of_rows(std::span<const Index> values,
                                  std::span<const Index> rows_of_statements,
                                  const std::string& name);

}  // namespace credo::results
