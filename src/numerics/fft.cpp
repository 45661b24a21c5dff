// Cooley and Tukey's radix-2 algorithm, decimation in time: bit reversal, then butterflies of
// doubling width [cooley1965]. Real and imaginary parts are multiplied by hand: std::complex's
// product tests for NaN.
#include "numerics/fft.hpp"

#include "base/error.hpp"

namespace credo::numerics {
namespace {
using Complex = std::complex<double>;

void reverse_bits(std::span<Complex> x) {
  for (std::size_t i = 1, j = 0; i < x.size(); ++i) {
    std::size_t bit = x.size() >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
}

Complex times(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

void butterfly(Complex& even, Complex& odd, Complex root) {
  const Complex turned = times(odd, root);
  odd = even - turned;
  even = even + turned;
}
}  // namespace

Fft::Fft(Index size) : size_(size), roots_(static_cast<std::size_t>(size / 2)) {
  CREDO_ASSERT(size >= 1 && (size & (size - 1)) == 0, "the size is a power of two");
  constexpr double kTwoPi = 6.283185307179586;
  for (std::size_t k = 0; k < roots_.size(); ++k)
    roots_[k] = std::polar(1.0, -kTwoPi * static_cast<double>(k) / static_cast<double>(size));
}

void Fft::transform(std::span<Complex> x, bool conjugate) const {
  CREDO_ASSERT(ssize(x) == size_, "as many values as the transform is for");
  reverse_bits(x);
  for (std::size_t half = 1; half < x.size(); half *= 2) {
    const std::size_t stride = x.size() / (2 * half);
    for (std::size_t block = 0; block < x.size(); block += 2 * half)
      for (std::size_t k = 0; k < half; ++k) {
        const Complex root = roots_[k * stride];
        butterfly(x[block + k], x[block + half + k], conjugate ? std::conj(root) : root);
      }
  }
}

}  // namespace credo::numerics
