// Latin hypercube [mckay1979; owen2013, 10.3]: each coordinate of N points has one in every N-th of (0, 1), at a place of
// its own in an order of its own. It removes the part of the error from sums of functions of single coordinates.
#include <numeric>

#include "numerics/points/point_rule.hpp"

namespace credo::numerics::points {
namespace {

class LatinHypercube final : public PointSequence {
 public:
  LatinHypercube(Index dimension, Index num_points, const StreamKey& key)
      : rng_(key), num_points_(num_points) {
    strata_.resize(static_cast<std::size_t>(dimension));
    for (auto& order : strata_) {
      order.resize(static_cast<std::size_t>(num_points));
      std::iota(order.begin(), order.end(), std::int32_t{0});
      for (std::size_t k = order.size(); k > 1; --k)  // Fisher and Yates
        std::swap(order[k - 1],
                  order[static_cast<std::size_t>(rng_.index_below(static_cast<Index>(k)))]);
    }
  }
  void next(std::span<double> point) override {
    for (std::size_t j = 0; j < point.size(); ++j) {
      const double u = (strata_[j][place_] + rng_.uniform()) / static_cast<double>(num_points_);
      point[j] =
          std::min(u, 1.0 - 0x1p-53);  // the sum may be rounded to the end of the last stratum
    }
    ++place_;
  }

 private:
  Rng rng_;
  Index num_points_;
  std::vector<std::vector<std::int32_t>> strata_;  // strata of the points, by coordinate
  std::size_t place_ = 0;
};
}  // namespace

extern const PointRule latin_hypercube{
    .name = "latin-hypercube",
    .summary = "one point in each N-th of every coordinate: less error of sums over coordinates",
    .reference = "mckay1979",
    .largest_dimension = kMostDimensions,
    .multiple_of = 1,
    .wants_power_of_two = false,
    .make = [](Index dimension, Index num_points,
               const StreamKey& key) -> std::unique_ptr<PointSequence> {
      return std::make_unique<LatinHypercube>(dimension, num_points, key);
    }};

}  // namespace credo::numerics::points
