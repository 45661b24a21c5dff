// A Bayesian core set: a few rows of the data with weights, whose log likelihood is near that of all rows as a function of
// the parameters [campbell2018].
#pragma once
#include "base/std.hpp"
#include "base/types.hpp"

namespace credo::infer {

struct CoreSet {
  std::vector<double> rows;     // their numbers, ascending
  std::vector<double> weights;  // one each, above 0

  // The form that a request takes (density/rows_path.hpp): the rows, then the weights.
  std::vector<double> as_request() const {
    std::vector<double> all = rows;
    all.insert(all.end(), weights.begin(), weights.end());
    return all;
  }
};

// At most so many of the rows. log_likelihoods: row by row, each at the same points, which are draws of the
// distribution that the rows are to be near for; finite.
CoreSet core_set_of(std::span<const double> log_likelihoods, Index num_rows, Index most);

}  // namespace credo::infer
