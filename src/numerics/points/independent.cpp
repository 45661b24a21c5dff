// Independent points: plain Monte Carlo.
#include "numerics/points/point_rule.hpp"

namespace credo::numerics::points {
namespace {

class Independent final : public PointSequence {
 public:
  explicit Independent(const StreamKey& key) : rng_(key) {}
  void next(std::span<double> point) override {
    for (double& u : point) u = rng_.uniform();
  }

 private:
  Rng rng_;
};
}  // namespace

extern const PointRule independent{
    .name = "independent",
    .summary = "independent points, as plain Monte Carlo has them",
    .reference = "owen2013",
    .largest_dimension = kMostDimensions,
    .multiple_of = 1,
    .wants_power_of_two = false,
    .make = [](Index, Index, const StreamKey& key) -> std::unique_ptr<PointSequence> {
      return std::make_unique<Independent>(key);
    }};

}  // namespace credo::numerics::points
