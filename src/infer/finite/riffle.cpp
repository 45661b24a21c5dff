// The distribution of the deck depends on its number r of rising sequences only [bayer1992, theorem 1]:
//
//   P(deck) = C(2^t + n - r, n) / 2^(n t),   A(n, r) decks have r rising sequences (Eulerian
//   numbers),
//
// so the distance is 1/2 sum over r of A(n, r) |P - 1 / n!|, with 2^n t and n! taken into the
// products before anything overflows.
#include "infer/finite/riffle.hpp"

#include <fmt/format.h>

namespace credo::infer::finite {
namespace {
// A(n, r) / n! for r = 1 .. n: all terms of the recursion are positive.
std::vector<double> eulerian_distribution(Index n) {
  std::vector<double> distribution{1.0};
  for (Index m = 2; m <= n; ++m) {
    std::vector<double> next(m);
    const auto size = static_cast<double>(m);
    for (Index r = 1; r <= m; ++r) {
      const auto rising = static_cast<double>(r);
      if (r < m) next[r - 1] += rising * distribution[r - 1] / size;
      if (r > 1) next[r - 1] += (size - rising + 1.0) * distribution[r - 2] / size;
    }
    distribution = std::move(next);
  }
  return distribution;
}

// n! C(2^t + n - r, n) / 2^(n t): the product over k < n of (2^t + n - r - k) / 2^t.
double likelihood_ratio(Index n, Index r, double two_to_the_t) {
  double ratio = 1.0;
  for (Index k = 0; k < n; ++k)
    ratio *= std::max(0.0, 1.0 + static_cast<double>(n - r - k) / two_to_the_t);
  return ratio;
}
}  // namespace

void riffle(std::vector<Index>& deck, Chooser& chooser) {
  std::vector<bool> from_top;
  for (std::size_t k = 0; k < deck.size(); ++k) from_top.push_back(chooser.uniform_index(2) == 0);
  Index top = 0, bottom = std::count(from_top.begin(), from_top.end(), true);
  std::vector<Index> shuffled;
  for (const bool is_top : from_top) shuffled.push_back(deck[is_top ? top++ : bottom++]);
  deck = std::move(shuffled);
}

double riffle_distance(Index num_cards, Index num_shuffles) {
  if (num_cards < 1 || num_cards > 1000 || num_shuffles < 0) {
    throw Error(
        ErrorCode::usage,
        fmt::format("{} shuffles of {} cards; there must be 0 or more shuffles of 1 to 1000 "
                    "cards",
                    num_shuffles, num_cards));
  }
  const std::vector<double> distribution = eulerian_distribution(num_cards);
  const double packets = std::exp2(static_cast<double>(num_shuffles));
  double sum = 0.0;
  for (Index r = 1; r <= num_cards; ++r)
    sum += distribution[r - 1] * std::fabs(likelihood_ratio(num_cards, r, packets) - 1.0);
  return 0.5 * sum;
}

}  // namespace credo::infer::finite
