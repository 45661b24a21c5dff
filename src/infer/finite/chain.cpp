#include "infer/finite/chain.hpp"

#include <fmt/format.h>

namespace credo::infer::finite {
namespace {
std::string name_of(std::span<const std::string> names, Index state) {
  return names.empty() ? std::to_string(state + 1) : names[state];
}

void check_names(std::span<const std::string> names, Index num_states) {
  if (names.empty()) return;
  if (ssize(names) != num_states) {
    throw Error(ErrorCode::data, fmt::format("{} names for {} states", names.size(), num_states),
                "states", "give one name for each row of the matrix");
  }
  std::vector<std::string_view> sorted(names.begin(), names.end());
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end())
    throw Error(ErrorCode::data, fmt::format("the name '{}' is given twice", *twice), "states");
}

void check_size(const RowMatrix& matrix) {
  if (matrix.rows < 1) throw Error(ErrorCode::data, "a chain needs at least one state", "matrix");
  if (matrix.rows > kMaxStates) {
    throw Error(ErrorCode::data, fmt::format("{} states, the limit is {}", matrix.rows, kMaxStates),
                "matrix",
                "the laboratory holds dense matrices; take a smaller version of the problem");
  }
  if (ssize(matrix.values) != matrix.rows * matrix.rows) {
    throw Error(ErrorCode::data,
                fmt::format("{} numbers for {} x {} entries", matrix.values.size(), matrix.rows,
                            matrix.rows),
                "matrix");
  }
}

void check_row(const RowMatrix& matrix, std::span<const std::string> names, Index i,
               double tolerance) {
  double sum = 0.0;
  for (Index j = 0; j < matrix.rows; ++j) {
    const double p = matrix(i, j);
    if (!(p >= 0.0) || p > 1.0 + tolerance) {
      throw Error(ErrorCode::data,
                  fmt::format("the probability of {} -> {} is {}, it must lie between 0 and 1",
                              name_of(names, i), name_of(names, j), p),
                  fmt::format("row {}", i + 1));
    }
    sum += p;
  }
  if (std::fabs(sum - 1.0) <= tolerance) return;
  throw Error(ErrorCode::data,
              fmt::format("the row of state {} sums to {}, a row must sum to 1 within {}",
                          name_of(names, i), sum, tolerance),
              fmt::format("row {}", i + 1),
              "a row holds the probabilities of going from its state to each state; divide it by "
              "its sum if only digits are missing");
}

void check_same_states(std::span<const FiniteChain> chains) {
  if (chains.empty()) throw Error(ErrorCode::usage, "there is no chain to compose");
  for (const FiniteChain& chain : chains) {
    if (chain.num_states() != chains[0].num_states()) {
      throw Error(ErrorCode::usage, fmt::format("chains of {} and of {} states don't compose",
                                                chains[0].num_states(), chain.num_states()));
    }
  }
}

// Each product rounds; without this the sums of the rows would drift apart by one rounding a step,
// doubling at every square.
FiniteChain product(const FiniteChain& first, const FiniteChain& second) {
  return FiniteChain(with_rows_divided_by_sums(multiply(first.matrix(), second.matrix())),
                     first.names());
}
}  // namespace

FiniteChain::FiniteChain(RowMatrix matrix, std::vector<std::string> names, double tolerance)
    : matrix_(std::move(matrix)), names_(std::move(names)) {
  check_size(matrix_);
  check_names(names_, matrix_.rows);
  for (Index i = 0; i < matrix_.rows; ++i) check_row(matrix_, names_, i, tolerance);
}

std::string FiniteChain::name(Index state) const { return name_of(names_, state); }

RowMatrix with_rows_divided_by_sums(RowMatrix matrix) {
  for (Index i = 0; i < matrix.rows; ++i) {
    double sum = 0.0;
    for (const double p : std::as_const(matrix).row(i)) sum += p;
    if (!(sum > 0.0) || !std::isfinite(sum)) {
      throw Error(ErrorCode::data, fmt::format("the row sums to {}, it can't be scaled to 1", sum),
                  fmt::format("row {}", i + 1));
    }
    for (double& p : matrix.row(i)) p /= sum;
  }
  return matrix;
}

std::vector<double> distribution_from_weights(std::span<const double> weights) {
  double total = 0.0;
  for (Index i = 0; i < ssize(weights); ++i) {
    if (!(weights[i] >= 0.0) || !std::isfinite(weights[i])) {
      throw Error(
          ErrorCode::data,
          fmt::format("weight {} is {}, weights must be finite and at least 0", i + 1, weights[i]),
          "target");
    }
    total += weights[i];
  }
  if (!(total > 0.0) || !std::isfinite(total)) {
    throw Error(ErrorCode::data,
                fmt::format("the weights sum to {}, the sum must be positive and finite", total),
                "target");
  }
  std::vector<double> distribution(weights.begin(), weights.end());
  for (double& p : distribution) p /= total;
  return distribution;
}

std::vector<double> distribution_from_log_weights(std::span<const double> log_weights) {
  double top = -kInfinity;
  for (const double x : log_weights) top = std::max(top, x);
  std::vector<double> weights;
  for (const double x : log_weights) weights.push_back(std::exp(x - top));
  return distribution_from_weights(weights);
}

std::vector<double> point_distribution(Index num_states, Index state) {
  std::vector<double> distribution(num_states);
  distribution[state] = 1.0;
  return distribution;
}

FiniteChain cycle(std::span<const FiniteChain> chains) {
  check_same_states(chains);
  FiniteChain result = chains[0];
  for (const FiniteChain& chain : chains.subspan(1)) result = product(result, chain);
  return result;
}

FiniteChain mixture(std::span<const FiniteChain> chains, std::span<const double> weights) {
  check_same_states(chains);
  if (!weights.empty() && weights.size() != chains.size()) {
    throw Error(ErrorCode::usage,
                fmt::format("{} weights for {} chains", weights.size(), chains.size()));
  }
  const std::vector<double> equal(chains.size(), 1.0);
  const std::vector<double> distribution =
      distribution_from_weights(weights.empty() ? equal : weights);
  RowMatrix sum(chains[0].num_states());
  for (std::size_t k = 0; k < chains.size(); ++k) {
    for (std::size_t e = 0; e < sum.values.size(); ++e)
      sum.values[e] += distribution[k] * chains[k].matrix().values[e];
  }
  return FiniteChain(std::move(sum), chains[0].names());
}

FiniteChain palindrome(std::span<const FiniteChain> chains) {
  std::vector<FiniteChain> there_and_back(chains.begin(), chains.end());
  there_and_back.insert(there_and_back.end(), chains.rbegin(), chains.rend());
  return cycle(there_and_back);
}

FiniteChain lazy(const FiniteChain& chain, double stay) {
  const FiniteChain both[] = {
      FiniteChain(numerics::diagonal_matrix(chain.num_states(), 1.0), chain.names()), chain};
  return mixture(both, std::array{stay, 1.0 - stay});
}

FiniteChain power(const FiniteChain& chain, Index num_steps) {
  if (num_steps < 0)
    throw Error(ErrorCode::usage, fmt::format("{} steps; there must be 0 or more", num_steps));
  FiniteChain result(numerics::diagonal_matrix(chain.num_states(), 1.0), chain.names()),
      square = chain;
  for (Index rest = num_steps; rest > 0; rest /= 2) {
    if (rest % 2 == 1) result = product(result, square);
    if (rest > 1) square = product(square, square);
  }
  return result;
}

FiniteChain time_reversal(const FiniteChain& chain, std::span<const double> distribution) {
  const Index n = chain.num_states();
  RowMatrix back(n);
  for (Index x = 0; x < n; ++x) {
    if (!(distribution[x] > 0.0)) {
      throw Error(
          ErrorCode::data,
          fmt::format("state {} has probability {} in the stationary distribution; a chain has a "
                      "time reversal where all are positive",
                      chain.name(x), distribution[x]));
    }
    for (Index y = 0; y < n; ++y) back(x, y) = distribution[y] * chain(y, x) / distribution[x];
  }
  return FiniteChain(std::move(back), chain.names());
}

Index draw_step(const FiniteChain& chain, Index from, Chooser& chooser) {
  return chooser.choose(chain.row(from));
}

std::vector<Index> simulate(const FiniteChain& chain, Index start, Index num_steps,
                            Chooser& chooser) {
  std::vector<Index> states{start};
  for (Index t = 0; t < num_steps; ++t) states.push_back(draw_step(chain, states.back(), chooser));
  return states;
}

}  // namespace credo::infer::finite
