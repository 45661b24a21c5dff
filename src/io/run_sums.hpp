// Check sums of a run file: for its facts, the progress of a chain, and the draws of a block.
#pragma once
#include "io/run_file.hpp"

namespace credo::io {

inline constexpr const char* kSumFact = "sum";  // sum of the other facts

std::string sum_of(const RunFile::Facts& facts);
std::int64_t sum_of(Index chain, const ChainState& state);  // sum of its numbers

// The columns of a block have their sums in pieces of about 4 KiB, so that a part of it can be read
// and is checked, and the sums of short blocks aren't as long as these.
struct Pieces {
  Index chain = 0;
  Index group = kDraws;
  Index first_row = 0, num_rows = 0, num_columns = 0;

  Index width() const;  // columns
  Index count() const { return (num_columns + width() - 1) / width(); }
  std::uint64_t sum(Index piece, std::span<const double> columns) const;   // sum of this piece
  std::vector<std::uint64_t> sums(std::span<const double> columns) const;  // of all
};

inline std::string_view bytes_of(auto&& values) {
  const std::span all(values);
  return {reinterpret_cast<const char*>(all.data()), all.size_bytes()};
}

}  // namespace credo::io
