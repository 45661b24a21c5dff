// The likelihood row by row, linearised at a point, for filters of parameters: row n has K numbers η that depend on the parameters, as
// its location and scale, and a log likelihood ℓ of them.
#pragma once
#include "density/log_density.hpp"

namespace credo::density {

struct LinearisedRow {
  Status status = {};
  std::vector<double> gradient = {};     // D: ∇ℓ
  std::vector<double> slopes = {};       // K × D, one after another: ∇η_k
  std::vector<double> information = {};  // K × K: expected information of η, of a new outcome
};

// Working memory of one thread.
class LinearisedRows {
 public:
  virtual ~LinearisedRows() = default;
  virtual Index num_rows() const = 0;
  virtual Index num_numbers() const = 0;  // K
  virtual void at(Index row, std::span<const double> position, LinearisedRow& into) = 0;
};

}  // namespace credo::density
