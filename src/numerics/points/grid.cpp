// A grid [owen2013, ch. 7]: the sum of f h^D over points at equal distances h, Riemann's, shifted by a random vector, so
// that it is unbiased. N points have N^(1/D) places in each coordinate and an error of order N^(-1/D): the rule of one
// dimension, and in many the curse.
#include "numerics/points/point_rule.hpp"

namespace credo::numerics::points {
namespace {

// Numbers of places, one a coordinate, whose product is N: as equal as the prime factors of N allow, the largest factors
// first to where there are fewest places.
std::vector<std::int64_t> places_of(Index dimension, Index num_points) {
  std::vector<Index> primes;
  for (Index p = 2; num_points > 1; ++p) {
    if (p * p > num_points) p = num_points;
    for (; num_points % p == 0; num_points /= p) primes.push_back(p);
  }
  std::vector<std::int64_t> places(static_cast<std::size_t>(dimension), 1);
  for (std::size_t k = primes.size(); k-- > 0;)
    *std::min_element(places.begin(), places.end()) *= primes[k];
  return places;
}

class Grid final : public PointSequence {
 public:
  Grid(Index dimension, Index num_points, const StreamKey& key)
      : places_(places_of(dimension, num_points)), shift_(places_.size()) {
    Rng rng(key);
    for (double& s : shift_) s = rng.uniform();
  }
  void next(std::span<double> point) override {
    std::int64_t rest = number_++;
    for (std::size_t j = 0; j < point.size(); ++j) {
      const double u = static_cast<double>(rest % places_[j]) / static_cast<double>(places_[j]);
      rest /= places_[j];
      point[j] = around(u + shift_[j]);
    }
  }

 private:
  // In the open interval: a sum may be rounded to the end.
  static double around(double u) {
    return std::clamp(u >= 1.0 ? u - 1.0 : u, 0x1p-53, 1.0 - 0x1p-53);
  }

  std::vector<std::int64_t> places_;
  std::vector<double> shift_;
  std::int64_t number_ = 0;
};
}  // namespace

extern const PointRule grid{
    .name = "grid",
    .summary =
        "at equal distances, shifted: an error of N^(-1/D), for one to three parameters; "
        "take N = m^D",
    .reference = "owen2013",
    .largest_dimension = kMostDimensions,
    .multiple_of = 1,
    .wants_power_of_two = false,
    .make = [](Index dimension, Index num_points,
               const StreamKey& key) -> std::unique_ptr<PointSequence> {
      return std::make_unique<Grid>(dimension, num_points, key);
    }};

}  // namespace credo::numerics::points
