// How the executor calls a kernel.
//
// Values lie as [element][lane]: element e of lane l is at e * lanes + l. Constants are stored once
// for all lanes. A kernel's result for one lane never depends on the number of lanes or on the
// other lanes (docs/determinism.md).
#pragma once
#include "graph/core/graph.hpp"

namespace credo::graph {

inline constexpr Index kMaxLanes = 8;

// One operand, resolved when the program was made.
struct OperandSlot {
  const double* constant = nullptr;  // shared by all lanes: elements are adjacent
  Index offset = 0;                  // else: position in the workspace, in elements
  Shape shape;
};

// The failed check of a lane that comes first in the program, in whatever order they ran.
struct LaneStatus {
  std::int32_t check = 0;  // index into the program's checks, from 1; 0: none failed
  std::int32_t order = 0;  // its place in the program
  double value = 0.0;
  Index element = 0;  // element of the checked vector
};

inline bool comes_before(const LaneStatus& a, const LaneStatus& b) {
  if (a.check == 0 || b.check == 0) return a.check != 0;
  return a.order != b.order ? a.order < b.order : a.element < b.element;
}

struct Call {
  const OperandSlot* operands = nullptr;
  Index num_operands = 0;
  Shape shape{};  // shape of the result
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

// One instruction of a tape (graph/execute/code.hpp). Positions count doubles from the start of the
// workspace; what a, b and c mean is the function's.
struct Machine;
struct Micro;
using MicroFn = void (*)(double* base, const Micro& m, const Machine& machine);
struct Micro {
  MicroFn fn = nullptr;
  std::uint32_t out = 0, a = 0, b = 0, c = 0;
};

// Elementwise work comes in groups of eight doubles on every SIMD target: no kernel has a tail.
inline constexpr Index kGroup = 8;
inline constexpr Index kBlock = 512;  // doubles in a block that stays in the first-level cache

// out[i] = f(in0[i], in1[i], ...) for `groups` groups; bit k of `repeated`: operand k is one group
// that repeats. An operand may be the result: each group is read before it is written.
struct BlockArgs {
  double* out = nullptr;
  std::array<const double*, 3> in{};
  std::uint32_t repeated = 0;
  Index groups = 0;
  // Joint kernels: the other result, and what the next step will read from memory; a kernel with
  // much to compute asks for so many cache lines of it a group.
  double* second = nullptr;
  const double* ahead = nullptr;
  Index lines = 0;
};
using BlockKernel = void (*)(const BlockArgs&);

// Some elements of a vector that a check judges, as [element][lane]; a repeated bound is one group.
struct BlockCheck {
  const double* x = nullptr;
  const double* bound = nullptr;  // x without a bound
  bool repeated = false;
  Index first = 0, count = 0;  // elements
  Index lanes = 1;
  LaneStatus* status = nullptr;
  const Attributes* attributes = nullptr;
};
using CheckKernel = void (*)(const BlockCheck&);

// An elementwise row for one SIMD target. element[k] computes one element in 2^k lanes, from a, b
// and c to out, and writes no other memory.
struct RowKernels {
  BlockKernel block = nullptr;
  std::array<MicroFn, 4> element{};
};
inline std::size_t lane_code(Index lanes) {  // 1, 2, 4, 8: 0, 1, 2, 3
  return lanes < 2 ? 0 : lanes < 4 ? 1 : lanes < 8 ? 2 : 3;
}

// Runs an elementwise row on any operands: the kernel of the direct sweep and of folding.
void run_row(const Call& call, const RowKernels& row);

}  // namespace credo::graph
