#include "infer/smc/quasi_points.hpp"

#include "density/state_space.hpp"
#include "numerics/points/point_rule.hpp"

namespace credo::infer {
namespace {
constexpr Index kPlaces = density::StateSpace::kBlock;

const numerics::PointRule& scrambled_sobol() {
  const auto rules = numerics::point_rules();
  return **std::ranges::find(rules, "sobol", &numerics::PointRule::name);
}
}  // namespace

QuasiPoints::QuasiPoints(Index num_particles, Index elements, bool chooses, std::uint64_t seed)
    : elements_(elements) {
  const Index dimension = elements + (chooses ? 1 : 0);
  const auto sequence = scrambled_sobol().make(
      dimension, num_particles,
      {.seed = seed, .purpose = purpose::kPoint, .chain = 0, .iteration = 0});
  std::vector<std::vector<double>> points(static_cast<std::size_t>(num_particles),
                                          std::vector<double>(static_cast<std::size_t>(dimension)));
  for (std::vector<double>& point : points) sequence->next(point);
  if (chooses) {
    std::ranges::stable_sort(points, {}, [](const std::vector<double>& p) { return p.front(); });
    for (const std::vector<double>& point : points) first_.push_back(point.front());
  }
  const Index num_blocks = (num_particles + kPlaces - 1) / kPlaces;
  blocks_.assign(static_cast<std::size_t>(num_blocks * elements * kPlaces), 0.5);
  for (Index i = 0; i < num_particles; ++i)
    for (Index e = 0; e < elements; ++e)
      blocks_[static_cast<std::size_t>((i / kPlaces * elements + e) * kPlaces + i % kPlaces)] =
          points[static_cast<std::size_t>(i)][static_cast<std::size_t>(e + dimension - elements)];
}

const double* QuasiPoints::block(Index number) const {
  return blocks_.data() + number * elements_ * kPlaces;
}

}  // namespace credo::infer
