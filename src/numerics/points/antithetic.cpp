// Antithetic pairs [hammersley1956; murphy2023, 11.6.3]: u, then 1 - u. A mean over a pair varies less than one over two
// independent points where f(u) and f(1 - u) are negatively correlated, as of monotone functions.
#include "numerics/points/point_rule.hpp"

namespace credo::numerics::points {
namespace {

class Antithetic final : public PointSequence {
 public:
  explicit Antithetic(const StreamKey& key) : rng_(key) {}
  void next(std::span<double> point) override {
    if (last_.empty()) {
      for (double& u : point) u = rng_.uniform();
      last_.assign(point.begin(), point.end());
      return;
    }
    std::transform(last_.begin(), last_.end(), point.begin(), [](double u) { return 1.0 - u; });
    last_.clear();
  }

 private:
  Rng rng_;
  std::vector<double> last_;  // first point of an unfinished pair
};
}  // namespace

extern const PointRule antithetic{
    .name = "antithetic",
    .summary = "pairs u and 1 - u: less error for monotone functions",
    .reference = "hammersley1956",
    .largest_dimension = kMostDimensions,
    .multiple_of = 2,
    .wants_power_of_two = false,
    .make = [](Index, Index, const StreamKey& key) -> std::unique_ptr<PointSequence> {
      return std::make_unique<Antithetic>(key);
    }};

}  // namespace credo::numerics::points
