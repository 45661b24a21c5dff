// Writers of a model's outputs: from positions to the rows of a result.
#pragma once
#include "density/writer.hpp"

namespace credo::density {

class OutputWriters {
 public:
  virtual ~OutputWriters() = default;
  // All outputs at an unconstrained point, in the order of Names::outputs(), or those chosen by `what`; discrete parameters may
  // follow the unconstrained values and are drawn otherwise. Generated quantities draw from `rng`. A rejection in
  // generated quantities leaves the remaining values NaN and its message in `note`.
  virtual std::vector<double> write(std::span<const double> point, Rng& rng,
                                    std::string* note = nullptr,
                                    const Written& what = {}) const = 0;
  // Working memory of one chain, for as long as the model lives. Without an override it writes one draw at a time.
  virtual std::unique_ptr<Writer> make_writer(Written what = {}) const;
  // The position with discrete parameters that are summed out behind it, drawn from their distribution given the rest; models
  // that sum none out return the position.
  virtual std::vector<double> with_discrete(std::span<const double> position, Rng& rng) const;
};

// The part of a whole row of outputs that is written.
std::vector<double> chosen(std::vector<double> row, const Written& what);

}  // namespace credo::density
