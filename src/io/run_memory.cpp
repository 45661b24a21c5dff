#include <fmt/format.h>

#include "io/run_file.hpp"

namespace credo::io {

// A line of the cache of each column at a time.
void transpose(std::span<const double> rows, Index num_rows, std::vector<double>& columns) {
  constexpr Index kTogether = 8;
  columns.resize(rows.size());
  const Index num_columns = num_rows == 0 ? 0 : ssize(rows) / num_rows;
  for (Index begin = 0; begin < num_rows; begin += kTogether) {
    const Index end = std::min(begin + kTogether, num_rows);
    for (Index k = 0; k < num_columns; ++k) {
      const double* from = rows.data() + begin * num_columns + k;
      double* to = columns.data() + k * num_rows;
      for (Index r = begin; r < end; ++r, from += num_columns) to[r] = *from;
    }
  }
}

std::vector<double> RunRows::read(const RunSlab& slab) const {
  std::vector<double> values(static_cast<std::size_t>(slab.num_rows * slab.num_columns));
  for_parts(slab, [&](const RunPart& part) {
    for (Index k = 0; k < slab.num_columns; ++k) {
      double* to = values.data() + k * slab.num_rows + part.first_row - slab.first_row;
      const double* from = part.column(k);
      for (Index r = 0; r < part.num_rows; ++r) to[r] = from[r * part.row_step];
    }
  });
  return values;
}

std::vector<double> RunRows::rows(const RunSlab& slab) const {
  const std::vector<double> columns = read(slab);
  std::vector<double> rows;
  transpose(columns, slab.num_columns, rows);
  return rows;
}

void ChainState::add_rows(Index group, Index count) {
  if (group >= ssize(num_rows)) num_rows.resize(static_cast<std::size_t>(group) + 1, 0);
  num_rows[static_cast<std::size_t>(group)] += count;
}

ChainState after(ChainState state, const RunBlock& block) {
  state.add_rows(block.group, block.num_rows);
  state.iteration = block.iteration;
  state.state = block.state;
  state.result = block.result;
  state.finished = block.finished;
  return state;
}

RunMemory::RunMemory(Index num_chains, std::vector<Index> num_columns)
    : num_columns_(std::move(num_columns)), chains_(static_cast<std::size_t>(num_chains)) {}

void RunMemory::append(std::span<const RunBlock> blocks) {
  for (const RunBlock& block : blocks) {
    Chain& chain = chains_[static_cast<std::size_t>(block.chain)];
    chain.blocks.push_back({.group = block.group,
                            .iteration = block.iteration,
                            .num_rows = block.num_rows,
                            .rows = {block.rows.begin(), block.rows.end()}});
    chain.state = after(std::move(chain.state), block);
  }
}

ChainState RunMemory::state(Index chain) const {
  return chains_[static_cast<std::size_t>(chain)].state;
}

Index RunMemory::num_rows(Index chain, Index group) const {
  return chains_[static_cast<std::size_t>(chain)].state.rows_of(group);
}

void RunMemory::for_parts(const RunSlab& slab,
                          const std::function<void(const RunPart&)>& take) const {
  const Index width = num_columns(slab.group), end = slab.first_row + slab.num_rows;
  Index row = 0;  // number of the block's first row
  for (const Block& block : chains_[static_cast<std::size_t>(slab.chain)].blocks) {
    if (block.group != slab.group) continue;
    const Index from = std::max(row, slab.first_row), to = std::min(row + block.num_rows, end);
    if (from < to)
      take({.first_row = from,
            .num_rows = to - from,
            .first = block.rows.data() + (from - row) * width + slab.first_column,
            .row_step = width});
    row += block.num_rows;
  }
  if (row < end)
    throw Error(ErrorCode::io, fmt::format("rows of chain {} are missing", slab.chain + 1));
}

std::vector<RunBlock> RunMemory::blocks() const {
  std::vector<RunBlock> all;
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    for (const Block& block : chains_[c].blocks)
      all.push_back({.chain = static_cast<Index>(c),
                     .group = block.group,
                     .iteration = block.iteration,
                     .num_rows = block.num_rows,
                     .rows = block.rows});
    if (chains_[c].blocks.empty()) continue;
    all.back().state = chains_[c].state.state;
    all.back().result = chains_[c].state.result;
    all.back().finished = chains_[c].state.finished;
  }
  return all;
}

}  // namespace credo::io
