#include "infer/optimise/starts.hpp"

#include "infer/mcmc/walk/exact.hpp"

namespace credo::infer {

std::vector<std::vector<double>> independent_starts(const density::LogDensity& density,
                                                    Index num_starts, std::uint64_t seed) {
  constexpr double kRadius = 2.0;  // if the density has no prior
  std::vector<std::vector<double>> starts;
  const auto prior = density.prior();
  const auto exact =
      prior != nullptr && prior->can_draw().can ? prior->make_exact_draws() : nullptr;
  for (Index k = 0; k < num_starts; ++k) {
    Rng rng({.seed = seed,
             .purpose = purpose::kInitialPoint,
             .chain = 1'000'000,  // beyond the chains of a run
             .iteration = static_cast<std::uint32_t>(k)});
    std::optional<density::Start> drawn;
    if (exact != nullptr) drawn = draw_exactly(*exact, rng);
    if (!drawn) drawn = density.draw_start(rng, kRadius);
    if (!drawn) {
      drawn = density::Start{
          .position = std::vector<double>(static_cast<std::size_t>(density.dimension()))};
      for (double& x : drawn->position) x = rng.uniform(-kRadius, kRadius);
    }
    starts.push_back(std::move(drawn->position));
  }
  return starts;
}

}  // namespace credo::infer
