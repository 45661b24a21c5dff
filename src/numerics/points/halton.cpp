// Halton's points [halton1960; owen2013, 15.4]: coordinate j of point i is the number whose digits behind the point are
// those of i in the j-th prime base, the last first. Digit k of base p is scrambled as (a d + c) mod p with random
// a in 1 ... p - 1 and c in 0 ... p - 1 [matousek1998]; digits of an index that ended are 0, and scrambled like others.
#include "numerics/points/point_rule.hpp"

namespace credo::numerics::points {
namespace {

// By the primes below n.
bool is_prime(std::int64_t n, std::span<const std::int64_t> primes) {
  for (const std::int64_t p : primes) {
    if (p * p > n) return true;
    if (n % p == 0) return false;
  }
  return true;
}

std::vector<std::int64_t> first_primes(Index count) {
  std::vector<std::int64_t> primes;
  for (std::int64_t n = 2; ssize(primes) < count; ++n)
    if (is_prime(n, primes)) primes.push_back(n);
  return primes;
}

struct DigitScramble {
  std::int64_t factor, shift;
};

class Halton final : public PointSequence {
 public:
  Halton(Index dimension, const StreamKey& key) : bases_(first_primes(dimension)) {
    Rng rng(key);
    for (const std::int64_t base : bases_) {
      std::vector<DigitScramble>& digits = scrambles_.emplace_back();
      // Digits that a double can represent.
      for (double unit = 1.0; unit > 0x1p-53; unit /= static_cast<double>(base))
        digits.push_back({1 + rng.index_below(static_cast<Index>(base - 1)),
                          rng.index_below(static_cast<Index>(base))});
      rests_.push_back(rng.uniform());
    }
  }

  void next(std::span<double> point) override {
    for (std::size_t j = 0; j < point.size(); ++j) point[j] = coordinate(j);
    ++index_;
  }

 private:
  double coordinate(std::size_t j) const {
    const std::int64_t base = bases_[j];
    std::int64_t rest = index_;
    double sum = 0.0, unit = 1.0;
    for (const DigitScramble& scramble : scrambles_[j]) {
      unit /= static_cast<double>(base);
      sum += static_cast<double>((scramble.factor * (rest % base) + scramble.shift) % base) * unit;
      rest /= base;
    }
    return std::clamp(sum + rests_[j] * unit, 0x1p-53, 1.0 - 0x1p-53);
  }

  std::vector<std::int64_t> bases_;
  std::vector<std::vector<DigitScramble>> scrambles_;  // by coordinate and digit
  std::vector<double> rests_;                          // behind the last digit
  std::int64_t index_ = 0;
};
}  // namespace

extern const PointRule halton{
    .name = "halton",
    .summary =
        "Halton's points with scrambled digits: far less error in few dimensions, for any number "
        "of points",
    .reference = "halton1960",
    .largest_dimension = 10'000,
    .multiple_of = 1,
    .wants_power_of_two = false,
    .make = [](Index dimension, Index, const StreamKey& key) -> std::unique_ptr<PointSequence> {
      return std::make_unique<Halton>(dimension, key);
    }};

}  // namespace credo::numerics::points
