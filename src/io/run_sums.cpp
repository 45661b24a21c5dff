#include "io/run_sums.hpp"

#include <fmt/format.h>

#include "base/seal.hpp"

namespace credo::io {

std::string sum_of(const RunFile::Facts& facts) {
  std::uint64_t sum = 0;
  for (const auto& [name, value] : facts)
    if (name != kSumFact) sum = check_sum(value, check_sum(name, sum));
  return fmt::format("{:016x}", sum);
}

std::int64_t sum_of(Index chain, const ChainState& state) {
  const std::array<std::int64_t, 3> numbers = {chain, state.iteration, state.finished ? 1 : 0};
  return static_cast<std::int64_t>(
      check_sum(bytes_of(state.num_rows), check_sum(bytes_of(numbers), 0)));
}

Index Pieces::width() const {
  constexpr Index kValues = 512;
  return num_rows >= kValues ? 1 : (kValues + num_rows - 1) / std::max<Index>(num_rows, 1);
}

// Begins with where it is: a block in the place of another is found, too.
std::uint64_t Pieces::sum(Index piece, std::span<const double> columns) const {
  const std::array<std::int64_t, 4> place = {chain, group, first_row, num_rows};
  return check_sum(bytes_of(columns),
                   check_sum(bytes_of(place), static_cast<std::uint64_t>(piece)));
}

std::vector<std::uint64_t> Pieces::sums(std::span<const double> columns) const {
  std::vector<std::uint64_t> all;
  const auto step = static_cast<std::size_t>(width() * num_rows);
  for (Index p = 0; p < count(); ++p) {
    const std::size_t size = std::min(step, columns.size());
    all.push_back(sum(p, columns.first(size)));
    columns = columns.subspan(size);
  }
  return all;
}

}  // namespace credo::io
