// Discrete Fourier transform of sizes that are powers of two.
#pragma once
#include <complex>

#include "base/types.hpp"

namespace credo::numerics {

// Tables for one size; immutable, shared between threads.
class Fft {
 public:
  explicit Fft(Index size);  // a power of two, at least 1
  Index size() const { return size_; }

  // X_k = Σ_n x_n exp(-2 π i n k / size), in place. O(size log size).
  void forward(std::span<std::complex<double>> x) const { transform(x, false); }
  // The inverse times size.
  void backward(std::span<std::complex<double>> x) const { transform(x, true); }

 private:
  void transform(std::span<std::complex<double>> x, bool conjugate) const;

  Index size_;
  std::vector<std::complex<double>> roots_;  // exp(-2 π i k / size), k < size / 2
};

}  // namespace credo::numerics
