// The inverse of the map from unconstrained values to parameters.
#pragma once
#include "base/types.hpp"

namespace credo::density {

class ParameterInverse {
 public:
  virtual ~ParameterInverse() = default;
  // Unconstrained values of the parameters' outputs; discrete parameters that are summed out are skipped. `row`: outputs in the
  // order of Names::outputs(), of which those of parameters count. `rounding`: relative error of values that were written with
  // a few digits, 0 if they are exact; they are corrected within it so that they obey their constraints. Throws Error(data) if a
  // constraint is broken.
  virtual std::vector<double> unconstrain_row(std::span<const double> row,
                                              double rounding = 0.0) const = 0;
};

}  // namespace credo::density
