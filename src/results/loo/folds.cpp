#include "results/loo/folds.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/rng.hpp"

namespace credo::results {
namespace {

void shuffle(std::vector<Index>& rows, Rng& rng) {
  for (Index left = ssize(rows); left > 1; --left)
    std::swap(rows[static_cast<std::size_t>(left - 1)],
              rows[static_cast<std::size_t>(rng.index_below(left))]);
}

void require_count(Index count, Index num_rows) {
  if (count < 2 || count > num_rows)
    throw Error(ErrorCode::usage,
                fmt::format("must be between 2 and the {} rows, is {}", num_rows, count), "--folds",
                "--folds 10");
}

// Dealt one after another to the folds.
std::vector<Fold> deal(std::span<const Index> order, Index count) {
  std::vector<Fold> folds(static_cast<std::size_t>(count));
  for (std::size_t k = 0; k < order.size(); ++k)
    folds[k % folds.size()].without.push_back(order[k]);
  for (Fold& fold : folds) {
    std::sort(fold.without.begin(), fold.without.end());
    fold.asked = fold.without;
  }
  return folds;
}

std::map<Index, std::vector<Index>> rows_by_level(std::span<const Index> values) {
  std::map<Index, std::vector<Index>> levels;
  for (std::size_t i = 0; i < values.size(); ++i)
    levels[values[i]].push_back(static_cast<Index>(i));
  return levels;
}
}  // namespace

std::vector<Fold> stratified_folds(std::span<const Index> values, Index count, std::uint64_t seed) {
  require_count(count, ssize(values));
  Rng rng({.seed = seed, .purpose = purpose::kReplicate, .chain = 4, .iteration = 0xFFFFFFFFU});
  std::vector<Index> order;
  for (auto& [level, rows] : rows_by_level(values)) {
    shuffle(rows, rng);
    order.insert(order.end(), rows.begin(), rows.end());
  }
  return deal(order, count);
}

std::vector<Fold> random_folds(Index num_rows, Index count, std::uint64_t seed) {
  return stratified_folds(std::vector<Index>(static_cast<std::size_t>(num_rows), 0), count, seed);
}

std::vector<Fold> group_folds(std::span<const Index> groups) {
  std::vector<Fold> folds;
  for (const auto& [level, rows] : rows_by_level(groups)) folds.push_back({rows, rows});
  if (folds.size() < 2)
    throw Error(ErrorCode::usage, "all rows are in one group", "--fold-by",
                "name a variable with two values at least");
  return folds;
}

std::vector<Index> values_of_rows(std::span<const Index> values,
                                  std::span<const Index> rows_of_statements,
                                  const std::string& name) {
  std::vector<Index> all;
  for (const Index count : rows_of_statements) {
    if (count != ssize(values))
      throw Error(ErrorCode::data,
                  fmt::format("{} has {} values, and a statement of the likelihood {} rows", name,
                              values.size(), count),
                  name, "name a variable of the data with a value for each row");
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

}  // namespace credo::results
