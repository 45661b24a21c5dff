#include "infer/optimise/starts.hpp"

#include "base/error.hpp"
#include "infer/mcmc/walk/exact.hpp"

namespace credo::infer {
namespace {
struct PriorDraws {
  std::unique_ptr<density::LogDensity> prior;
  std::unique_ptr<density::ExactDraws> exact;  // draws of the prior, which it needs
};

// Empty if the density has no prior, none that can be drawn from, or none that is separate from its likelihood.
PriorDraws prior_draws(const density::LogDensity& density) {
  try {
    PriorDraws draws{.prior = density.prior(), .exact = nullptr};
    if (draws.prior != nullptr && draws.prior->can_draw().can)
      draws.exact = draws.prior->make_exact_draws();
    return draws;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::program) throw;
    return {};
  }
}
}  // namespace

std::vector<std::vector<double>> independent_starts(const density::LogDensity& density,
                                                    Index num_starts, std::uint64_t seed) {
  constexpr double kRadius = 2.0;  // if the density has no prior
  std::vector<std::vector<double>> starts;
  const PriorDraws draws = prior_draws(density);
  for (Index k = 0; k < num_starts; ++k) {
    Rng rng({.seed = seed,
             .purpose = purpose::kInitialPoint,
             .chain = 1'000'000,  // beyond the chains of a run
             .iteration = static_cast<std::uint32_t>(k)});
    std::optional<density::Start> drawn;
    if (draws.exact != nullptr) drawn = draw_exactly(*draws.exact, rng);
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
