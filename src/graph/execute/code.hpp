// The code of a workspace: a tape of micro-instructions for one number of lanes.
//
// A micro is one element of an elementwise row, one structural move of a few elements, a general
// row, or a whole fused group of vectors that runs block by block. Positions are relative to the
// workspace, so one Code serves all threads. docs/design/executor.md has the layout.
#pragma once
#include "base/stop.hpp"
#include "base/team.hpp"
#include "graph/core/kernel.hpp"
#include "graph/ops/chunks.hpp"

namespace credo::graph {

// Location of a block of an operand: in the workspace, among the blocks of the thread that runs it,
// or in a constant's own buffer.
struct BlockOperand {
  const double* data = nullptr;
  Index offset = 0;   // doubles
  Index advance = 0;  // doubles a block; for the result of a sum: a chunk
  bool local = false;
};

struct BlockOp;
struct BlockState;
struct PlannedCheck;
using BlockFn = void (*)(const BlockOp&, const BlockState&);

// One step of a fused group. `kernel` is the row's, else null.
struct BlockOp {
  BlockFn run = nullptr;
  BlockKernel kernel = nullptr;
  BlockOperand out, second;  // second: second result of a joint kernel
  std::array<BlockOperand, 3> in;
  std::uint32_t repeated = 0;
  int shift = kSumShift;                // sums: elements of a chunk, as a power of two
  const std::int32_t* index = nullptr;  // gather, scatter_add
  Index partials = 0;                   // sums: place of the partial sums among the thread's blocks
  Index columns = 0;                    // products: columns of the matrix
  Index width = 0;                      // sums: doubles of a result
  bool panels = false;                  // products: it lies in panels of eight rows
  const double* ahead = nullptr;        // joint kernels: a matrix in panels that the group reads
  const PlannedCheck* check = nullptr;
};

struct BlockGroup {
  std::vector<BlockOp> ops;
  std::vector<std::int32_t> steps;  // step of the plan for each op
  Index size = 0;                   // elements
  Index block_elements = 0;         // of a full block
  int shift = kSumShift;            // parts of 2^shift elements can be run in any order
  bool splits = false;              // there is enough work for several threads
  Index num_parts() const { return num_chunks(size, shift); }
};

// An operand repeated in a vector needs a whole group of itself; constants get it beforehand.
struct Pattern {
  Index offset = 0;  // doubles
  double value = 0.0;
};

struct PreparedCall {
  Kernel kernel = nullptr;
  Call call;  // workspace, result, scratch and status are filled in when run
};

struct Code {
  Index lanes = 1;
  Index num_doubles = 0;  // size of the workspace
  // Partial sums and blocks of groups: the place in the workspace of those of the thread that owns
  // it, and their doubles; other threads of a team have as many of their own.
  Index local = 0, num_local = 0;
  std::vector<Micro> tape;
  std::vector<std::int32_t> steps;  // for each micro: the plan's first step that it runs
  std::vector<PreparedCall> calls;
  std::vector<BlockGroup> groups;
  std::vector<Pattern> patterns;
};

// Input of a tape's functions beside their operands.
struct Machine {
  const Code* code = nullptr;
  const std::int32_t* ints = nullptr;  // index lists
  double* scratch = nullptr;
  LaneStatus* status = nullptr;
  Team* team = nullptr;      // null: groups run on the calling thread
  double* locals = nullptr;  // Code::num_local doubles for each other member
  const StopFlag* stop = nullptr;
};

struct BlockState {
  std::array<double*, 2> bases{};  // workspace, blocks of this thread
  Index block = 0;
  Index first = 0, count = 0;  // elements
  Index groups = 0;
  Index size = 0;  // elements of the whole
  Index lanes = 1;
  LaneStatus* status = nullptr;

  const double* at(const BlockOperand& x) const {
    return (x.data != nullptr ? x.data : bases[x.local]) + x.offset + x.advance * block;
  }
  double* place(const BlockOperand& x) const {
    return bases[x.local] + x.offset + x.advance * block;
  }
  double* partials(const BlockOp& op) const { return bases[1] + op.partials; }
  // Result of a sum, for the chunk that the block belongs to.
  double* total(const BlockOp& op) const {
    return bases[0] + op.out.offset + op.out.advance * (first >> op.shift);
  }
};

// Structural functions for the active SIMD target, each for 1, 2, 4 and 8 lanes.
struct TapeKernels {
  using Micros = std::array<MicroFn, 4>;
  using Blocks = std::array<BlockFn, 4>;
  Micros copy_element;     // out = a
  Micros spread;           // out, a group = a, repeated
  Micros broadcast;        // out = a, c times
  Micros sum, dot;         // out = sum over c elements of a, or of a .* b
  Micros gather;           // out[i] = a[ints[b + i]], i < c
  Micros scatter_add;      // out[ints[b + i]] += a[i], i < c
  MicroFn join = nullptr;  // out[i] = a[i] + a[b + i] + ..., c terms, i < b
  MicroFn copy = nullptr;  // c doubles
  MicroFn zero = nullptr;  // c doubles
  Blocks replicate_block;  // data that all lanes share
  Blocks sum_block, dot_block, sum_log1p_exp_block, gather_block, scatter_add_block;
  Blocks product_block, transposed_product_block;
};
const TapeKernels& tape_kernels();

// Runs the group's blocks that begin at elements state.first, ..., last - 1, multiples of 2^shift
// or the group's end; run_op(op, state) runs one op.
template <class RunOp>
inline void run_blocks(const BlockGroup& group, Index lanes, BlockState& state, Index last,
                       RunOp run_op) {
  state.size = group.size;
  state.lanes = lanes;
  state.block = state.first / group.block_elements;
  for (; state.first < last; ++state.block, state.first += group.block_elements) {
    state.count = std::min(group.block_elements, group.size - state.first);
    state.groups = (state.count * lanes + kGroup - 1) / kGroup;
    for (const BlockOp& op : group.ops) run_op(op, state);
  }
}

void run_group(double* base, const Micro& m, const Machine& machine);  // a: number of the group
void run_call(double* base, const Micro& m, const Machine& machine);   // a: number of the call
BlockFn row_block(std::size_t arity);
void joint_block(const BlockOp& op, const BlockState& state);
void check_block(const BlockOp& op, const BlockState& state);

}  // namespace credo::graph
