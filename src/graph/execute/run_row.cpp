// An elementwise row on the operands of a Call.
#include "base/stop.hpp"
#include "graph/execute/code.hpp"
#include "graph/ops/block_reader.hpp"

namespace credo::graph {
namespace {

// One element in all lanes; operands side by side in a small workspace.
void run_element(const Call& call, const RowKernels& row) {
  alignas(64) double values[4 * kGroup];
  for (Index k = 0; k < call.num_operands; ++k) {
    for (Index l = 0; l < call.lanes; ++l) values[k * kGroup + l] = call.at(k, 0, l);
  }
  const Micro m{.fn = nullptr, .out = 3 * kGroup, .a = 0, .b = kGroup, .c = 2 * kGroup};
  row.element[lane_code(call.lanes)](values, m, Machine{});
  std::copy_n(values + 3 * kGroup, call.lanes, call.out);
}

// The last doubles, fewer than a group: in padded copies.
void run_tail(BlockArgs args, Index num_operands, Index count, const RowKernels& row) {
  alignas(64) double values[4][kGroup] = {};
  for (std::size_t k = 0; k < static_cast<std::size_t>(num_operands); ++k) {
    std::copy_n(args.in[k], count, values[k]);
    args.in[k] = values[k];
  }
  double* out = std::exchange(args.out, values[3]);
  args.groups = 1;
  row.block(args);
  std::copy_n(values[3], count, out);
}
}  // namespace

void run_row(const Call& call, const RowKernels& row) {
  if (call.shape.is_scalar()) return run_element(call, row);
  const auto reader = [&](Index k) {
    return BlockReader(call, std::min(k, call.num_operands - 1));
  };
  BlockReader a = reader(0), b = reader(1), c = reader(2);
  const Index total = call.shape.size() * call.lanes;
  for (Index begin = 0; begin < total; begin += kBlock) {
    stop_if_asked();
    const Index count = std::min(kBlock, total - begin), groups = count / kGroup;
    BlockArgs args{.out = call.out + begin, .in = {a.block(begin, count)}, .groups = groups};
    if (call.num_operands > 1) args.in[1] = b.block(begin, count);
    if (call.num_operands > 2) args.in[2] = c.block(begin, count);
    if (groups > 0) row.block(args);
    const Index done = groups * kGroup;
    if (done == count) continue;
    args.out += done;
    for (std::size_t k = 0; k < static_cast<std::size_t>(call.num_operands); ++k)
      args.in[k] += done;
    run_tail(args, call.num_operands, count - done, row);
  }
}

}  // namespace credo::graph
