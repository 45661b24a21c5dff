#include "models/information/words.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "models/information/discrete_distributions.hpp"
#include "numerics/linear_algebra/decompositions.hpp"
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::models {
namespace {
std::vector<double> counts_of_words(std::span<const std::int32_t> codes, Index num_levels,
                                    Index length) {
  std::map<std::int64_t, double> counts;
  std::int64_t all = 1, word = 0;
  for (Index k = 0; k < length; ++k) all *= num_levels;
  for (Index n = 0; n < ssize(codes); ++n) {
    word = word % (all / num_levels) * num_levels + codes[static_cast<std::size_t>(n)];
    if (n + 1 >= length) counts[word] += 1.0;
  }
  std::vector<double> made;
  for (const auto& [key, count] : counts) made.push_back(count);
  return made;
}
Index states_of(Index num_levels, Index length) {
  constexpr double kMost = 1e15;
  if (static_cast<double>(length) * std::log(static_cast<double>(num_levels)) > std::log(kMost))
    throw Error(
        ErrorCode::usage,
        fmt::format("words of {} of {} levels have more than 1e15 states", length, num_levels),
        "--words", "shorter words");
  Index all = 1;
  for (Index k = 0; k < length; ++k) all *= num_levels;
  return all;
}
}  // namespace

WordEntropies word_entropies(std::span<const std::int32_t> codes, Index num_levels, Index length,
                             const EntropyEstimator& estimator, const EntropyOptions& options) {
  if (length < 2 || length >= ssize(codes))
    throw Error(ErrorCode::usage,
                fmt::format("words of length {} of a sequence of {}", length, codes.size()),
                "--words", "a length from 2 to less than the number of rows");
  WordEntropies made;
  for (Index t = 1; t <= length; ++t) {
    const CountSample sample =
        count_sample(counts_of_words(codes, num_levels, t), states_of(num_levels, t));
    if (estimator.refusal != nullptr)
      if (const std::string why = estimator.refusal(sample); !why.empty())
        throw Error(ErrorCode::data, fmt::format("words of length {}: {}", t, why), "--words",
                    "shorter words, or a longer sequence");
    made.entropy.push_back(estimator.estimate(sample, options));
    made.num_words.push_back(sample.num_seen());
  }
  const auto s = [&](Index t) {
    return t == 0 ? 0.0 : made.entropy[static_cast<std::size_t>(t - 1)].value;
  };
  for (Index t = 1; t <= length; ++t) made.per_symbol.push_back(s(t) - s(t - 1));
  for (Index t = 1; t < length; ++t) made.predictive.push_back(s(t) + s(length - t) - s(length));
  for (Index t = 1; t <= length; ++t)
    made.learning.push_back(made.per_symbol[static_cast<std::size_t>(t - 1)] - made.rate());
  return made;
}

double markov_predictive_information(std::span<const double> transitions, Index num_states) {
  // The stationary distribution: (T' - 1) pi = 0, where the last equation is replaced by the sum 1.
  numerics::DenseMatrix system(num_states);
  std::vector<double> pi(static_cast<std::size_t>(num_states), 0.0), pivots = pi;
  for (Index i = 0; i < num_states; ++i)
    for (Index j = 0; j < num_states; ++j)
      system(j, i) =
          j + 1 == num_states
              ? 1.0
              : transitions[static_cast<std::size_t>(i * num_states + j)] - (i == j ? 1.0 : 0.0);
  pi.back() = 1.0;
  numerics::lu_factor(num_states, system.values.data(), pivots.data());
  numerics::lu_solve({.n = num_states, .cols = 1}, system.values.data(), pivots.data(), pi.data());
  JointTable pairs{.sizes = {num_states, num_states}, .cells = {}};
  for (Index i = 0; i < num_states; ++i)
    for (Index j = 0; j < num_states; ++j)
      pairs.cells.push_back(std::max(0.0, pi[static_cast<std::size_t>(i)]) *
                            transitions[static_cast<std::size_t>(i * num_states + j)]);
  const Index first[] = {0}, second[] = {1};
  return mutual_information(pairs, first, second);
}

}  // namespace credo::models
