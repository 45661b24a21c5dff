// From positions to the outputs of a model, draw by draw.
#pragma once
#include "base/rng.hpp"
#include "density/layout.hpp"

namespace credo::density {

// The part of a draw that is written: the outputs of the blocks up to this one.
struct Written {
  Block last = Block::generated_quantities;
  bool density_prints = true;                      // print statements of the density run, too
  std::optional<std::vector<Index>> columns = {};  // elements of outputs(); none: all
  // Real generated quantities that had their values before one failed are kept; else all are NaN, since values may be
  // parts of sums.
  bool keeps_reached = false;
  bool operator==(const Written&) const = default;
};

// One draw. `rng` gives its random numbers, and advances as in OutputWriters::write; `row` and
// `note` are the result: the outputs in the order of Names::outputs, or those chosen by Written,
// and the message of a rejection.
struct DrawRequest {
  std::span<const double> point;
  Rng rng;
  std::vector<double> row = {};
  std::string note = {};
};

// Working memory of one chain.
class Writer {
 public:
  virtual ~Writer() = default;
  virtual void write(std::span<DrawRequest> draws) = 0;
  virtual Index num_lanes() const { return 1; }  // draws that are written at once
};

}  // namespace credo::density
