#include <bit>

#include "numerics/points/sobol_table.hpp"

namespace credo::numerics::points {

extern const char* const kSobolNumbers;  // sobol_table.cpp

namespace {

int degree_of(std::uint32_t polynomial) { return static_cast<int>(std::bit_width(polynomial)) - 1; }

// x^exponent modulo the polynomial.
std::uint32_t power_of_x(std::uint64_t exponent, std::uint32_t polynomial, int degree) {
  const auto times = [&](std::uint32_t a, std::uint32_t b) {
    std::uint32_t product = 0;
    for (; b != 0; b >>= 1) {
      if (b & 1U) product ^= a;
      a <<= 1;
      if ((a >> degree) & 1U) a ^= polynomial;
    }
    return product;
  };
  std::uint32_t result = 1, square = degree == 1 ? 1U : 2U;
  for (; exponent != 0; exponent >>= 1) {
    if (exponent & 1U) result = times(result, square);
    square = times(square, square);
  }
  return result;
}

// x has the order 2^degree - 1 exactly.
bool is_primitive(std::uint32_t polynomial, int degree, const std::vector<std::uint64_t>& factors) {
  const std::uint64_t order = (std::uint64_t{1} << degree) - 1;
  return power_of_x(order, polynomial, degree) == 1 &&
         std::all_of(factors.begin(), factors.end(), [&](std::uint64_t factor) {
           return factor == order || power_of_x(order / factor, polynomial, degree) != 1;
         });
}

std::vector<std::uint64_t> prime_factors(std::uint64_t n) {
  std::vector<std::uint64_t> factors;
  for (std::uint64_t p = 2; n > 1; ++p) {
    if (n % p == 0) factors.push_back(p);
    while (n % p == 0) n /= p;
  }
  return factors;
}

// All primitive polynomials in their order.
class PrimitivePolynomials {
 public:
  std::uint32_t next() {
    do {
      polynomial_ += 2;  // the last coefficient is 1
      if (degree_of(polynomial_) == degree_) continue;
      degree_ = degree_of(polynomial_);
      factors_ = prime_factors((std::uint64_t{1} << degree_) - 1);
    } while (!is_primitive(polynomial_, degree_, factors_));
    return polynomial_;
  }

 private:
  std::uint32_t polynomial_ = 1;
  int degree_ = 0;
  std::vector<std::uint64_t> factors_;  // factors of 2^degree - 1
};

// The table's bits: those of each number above its last one, which is 1; six a character, as in base 64.
class Bits {
 public:
  std::uint32_t take(int count) {
    std::uint32_t value = 0;
    for (int k = 0; k < count; ++k, ++place_) {
      const std::uint32_t six = value_of(kSobolNumbers[place_ / 6]);
      value = (value << 1) | ((six >> (5 - place_ % 6)) & 1U);
    }
    return value;
  }

 private:
  static std::uint32_t value_of(char c) {
    if (c >= 'A' && c <= 'Z') return static_cast<std::uint32_t>(c - 'A');
    if (c >= 'a' && c <= 'z') return static_cast<std::uint32_t>(c - 'a') + 26;
    if (c >= '0' && c <= '9') return static_cast<std::uint32_t>(c - '0') + 52;
    return c == '+' ? 62 : 63;
  }
  std::size_t place_ = 0;
};
}  // namespace

std::vector<SobolStart> sobol_starts(Index dimension) {
  // The first coordinate is van der Corput's: all its numbers are 1.
  std::vector<SobolStart> starts{{1, std::vector<std::uint32_t>(32, 1)}};
  Bits bits;
  PrimitivePolynomials polynomials;
  while (ssize(starts) < dimension) {
    SobolStart& start = starts.emplace_back();
    start.polynomial = polynomials.next();
    for (int k = 0; k < degree_of(start.polynomial); ++k)
      start.numbers.push_back((bits.take(k) << 1) | 1U);
  }
  return starts;
}

}  // namespace credo::numerics::points
