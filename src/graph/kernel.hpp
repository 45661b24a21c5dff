// How the executor calls a kernel.
//
// Values lie as [element][lane]: element e of lane l is at e * lanes + l. Constants are stored once
// for all lanes. A kernel's result for one lane never depends on the number of lanes or on the
// other lanes (docs/determinism.md).
#pragma once
#include "graph/graph.hpp"

namespace credo::graph {

inline constexpr Index kMaxLanes = 8;

// One operand, resolved when the program was made.
struct OperandSlot {
  const double* constant = nullptr;  // the same for all lanes: elements are adjacent
  Index offset = 0;                  // else: position in the workspace, in elements
  Shape shape;
};

// The failed check of a lane that comes first in the program, in whatever order they ran.
struct LaneStatus {
  std::int32_t check = 0;  // index into the program's checks, from 1; 0: none failed
  std::int32_t order = 0;  // its place in the program
  double value = 0.0;
};

struct Call {
  const OperandSlot* operands = nullptr;
  Index num_operands = 0;
  Shape shape{};  // of the result
  double* out = nullptr;
  double* workspace = nullptr;
  double* scratch = nullptr;
  LaneStatus* status = nullptr;
  const Attributes* attributes = nullptr;
  Index lanes = 1;

  const Shape& in_shape(Index k) const { return operands[k].shape; }
  bool shared(Index k) const { return operands[k].constant != nullptr; }  // same for all lanes
  const double* in(Index k) const {
    return shared(k) ? operands[k].constant : workspace + operands[k].offset * lanes;
  }
  // Element e of operand k in lane l; a scalar operand is repeated.
  double at(Index k, Index e, Index l) const { return shared(k) ? in(k)[e] : in(k)[e * lanes + l]; }
};

using Kernel = void (*)(const Call&);

}  // namespace credo::graph
