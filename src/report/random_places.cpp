#include "report/random_places.hpp"

#include "base/rng.hpp"

namespace credo::report {

std::vector<double> random_places(const results::Replicated& replicated, std::uint64_t seed,
                                  Index variable) {
  constexpr std::uint32_t kStream = 3;  // LOO-PIT has 4
  Rng rng({.seed = seed,
           .purpose = purpose::kReplicate,
           .chain = kStream,
           .iteration = static_cast<std::uint32_t>(variable)});
  const auto count = static_cast<double>(replicated.draws.size());
  std::vector<double> places;
  for (std::size_t e = 0; e < replicated.observed.size(); ++e) {
    double below = 0.0, equal = 0.0;
    for (const std::vector<double>& draw : replicated.draws) {
      below += draw[e] < replicated.observed[e] ? 1.0 : 0.0;
      equal += draw[e] == replicated.observed[e] ? 1.0 : 0.0;
    }
    places.push_back((below + rng.uniform() * (equal + 1.0)) / (count + 1.0));
  }
  return places;
}

}  // namespace credo::report
