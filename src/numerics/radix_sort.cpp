// Least significant digit first, eleven bits at a time: six stable passes, of which those are left out in which all values
// have one digit. A double is made a key that is ordered as it is: with the sign bit set where it is positive, all bits
// turned over where it is negative.
#include "numerics/radix_sort.hpp"

#include <bit>

namespace credo::numerics {
namespace {
constexpr int kDigitBits = 11, kNumPasses = 6;
constexpr std::size_t kNumDigits = std::size_t{1} << kDigitBits;
constexpr std::size_t kFew = 256;  // values that are sorted by comparisons sooner
constexpr std::uint64_t kSign = std::uint64_t{1} << 63;

std::uint64_t key_of(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

double value_of(std::uint64_t key) {
  return std::bit_cast<double>((key & kSign) != 0 ? key & ~kSign : ~key);
}

struct Keyed {
  std::uint64_t key;
  std::uint32_t place;
};
std::uint64_t key_of(std::uint64_t key) { return key; }
std::uint64_t key_of(const Keyed& keyed) { return keyed.key; }

std::size_t digit(std::uint64_t key, int pass) {
  return static_cast<std::size_t>(key >> (pass * kDigitBits)) & (kNumDigits - 1);
}

template <class T>
void sort_by_digits(std::vector<T>& values) {
  std::vector<std::uint32_t> counts(kNumDigits * kNumPasses);
  for (const T& value : values)
    for (int pass = 0; pass < kNumPasses; ++pass)
      ++counts[static_cast<std::size_t>(pass) * kNumDigits + digit(key_of(value), pass)];
  std::vector<T> other(values.size());
  for (int pass = 0; pass < kNumPasses; ++pass) {
    const auto own =
        std::span(counts).subspan(static_cast<std::size_t>(pass) * kNumDigits, kNumDigits);
    if (own[digit(key_of(values[0]), pass)] == values.size()) continue;
    std::uint32_t before = 0;
    for (std::uint32_t& count : own) before += std::exchange(count, before);
    for (const T& value : values) other[own[digit(key_of(value), pass)]++] = value;
    values.swap(other);
  }
}
}  // namespace

void sort(std::span<double> values) {
  if (values.size() < kFew) {
    std::sort(values.begin(), values.end(),
              [](double a, double b) { return key_of(a) < key_of(b); });
    return;
  }
  std::vector<std::uint64_t> keys(values.size());
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = key_of(values[i]);
  sort_by_digits(keys);
  for (std::size_t i = 0; i < keys.size(); ++i) values[i] = value_of(keys[i]);
}

std::vector<std::uint32_t> order_of(std::span<const double> values) {
  std::vector<Keyed> keyed(values.size());
  for (std::size_t i = 0; i < keyed.size(); ++i)
    keyed[i] = {key_of(values[i]), static_cast<std::uint32_t>(i)};
  if (keyed.size() < kFew)
    std::stable_sort(keyed.begin(), keyed.end(),
                     [](const Keyed& a, const Keyed& b) { return a.key < b.key; });
  else
    sort_by_digits(keyed);
  std::vector<std::uint32_t> order(keyed.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = keyed[i].place;
  return order;
}

}  // namespace credo::numerics
