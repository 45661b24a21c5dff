#include "infer/smc/quasi_points.hpp"

#include "density/state_space.hpp"
#include "numerics/points/sobol_set.hpp"

namespace credo::infer {
namespace {
constexpr Index kPlaces = density::StateSpace::kBlock;
}  // namespace

QuasiPoints::QuasiPoints(Index num_particles, Index elements, bool chooses, std::uint64_t seed)
    : elements_(elements) {
  const Index dimension = elements + (chooses ? 1 : 0);
  const std::vector<double> points = numerics::scrambled_sobol(
      dimension, num_particles,
      {.seed = seed, .purpose = numerics::kCubePoints, .chain = 0, .iteration = 0});
  const auto coordinate = [&](Index point, Index k) {
    return points[static_cast<std::size_t>(point * dimension + k)];
  };
  std::vector<Index> order(static_cast<std::size_t>(num_particles));
  std::iota(order.begin(), order.end(), Index{0});
  if (chooses) {
    std::ranges::stable_sort(order, {}, [&](Index i) { return coordinate(i, 0); });
    for (const Index i : order) first_.push_back(coordinate(i, 0));
  }
  const Index num_blocks = (num_particles + kPlaces - 1) / kPlaces;
  blocks_.assign(static_cast<std::size_t>(num_blocks * elements * kPlaces), 0.5);
  for (Index i = 0; i < num_particles; ++i)
    for (Index e = 0; e < elements; ++e)
      blocks_[static_cast<std::size_t>((i / kPlaces * elements + e) * kPlaces + i % kPlaces)] =
          coordinate(order[static_cast<std::size_t>(i)], e + dimension - elements);
}

const double* QuasiPoints::block(Index number) const {
  return blocks_.data() + number * elements_ * kPlaces;
}

}  // namespace credo::infer
