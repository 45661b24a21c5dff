#include "infer/finite/coupling.hpp"

namespace credo::infer::finite {
namespace {
// The part of a distribution of pairs that hasn't met; its mass.
double forget_those_that_met(RowMatrix& pairs) {
  for (Index x = 0; x < pairs.rows; ++x) pairs(x, x) = 0.0;
  return std::accumulate(pairs.values.begin(), pairs.values.end(), 0.0);
}
}  // namespace

std::vector<double> meeting_tail(const FiniteChain& chain, std::span<const double> first,
                                 std::span<const double> second, Index max_time) {
  const Index n = chain.num_states();
  const RowMatrix back = transposed(chain.matrix());
  RowMatrix apart(n);
  for (Index x = 0; x < n; ++x) {
    for (Index y = 0; y < n; ++y) apart(x, y) = first[x] * second[y];
  }
  std::vector<double> tail{forget_those_that_met(apart)};
  for (Index t = 0; t < max_time; ++t) {
    apart = multiply(multiply(back, apart), chain.matrix());
    tail.push_back(forget_those_that_met(apart));
  }
  return tail;
}

std::optional<Index> meeting_time(const FiniteChain& chain, Pair at, Chooser& chooser,
                                  Index max_time) {
  for (Index t = 0; t <= max_time; ++t) {
    if (at.first == at.second) return t;
    at.first = draw_step(chain, at.first, chooser);
    at.second = draw_step(chain, at.second, chooser);
  }
  return std::nullopt;
}

}  // namespace credo::infer::finite
