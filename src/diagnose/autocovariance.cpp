// The transform of |transform|², of the centred series with as many zeros behind it, so that the
// circular correlation is the plain one.
#include "diagnose/autocovariance.hpp"

#include "diagnose/chains.hpp"
#include "numerics/fft.hpp"

namespace credo::diagnose {

std::vector<double> autocovariance(std::span<const double> x) {
  std::vector<double> result(x.size());
  if (x.empty()) return result;
  std::size_t padded = 1;
  while (padded < 2 * x.size()) padded *= 2;

  std::vector<std::complex<double>> series(padded);
  const double centre = mean(x);
  for (std::size_t s = 0; s < x.size(); ++s) series[s] = x[s] - centre;
  const numerics::Fft fft(static_cast<Index>(padded));
  fft.forward(series);
  for (auto& value : series) value = std::norm(value);
  fft.backward(series);
  const double scale = 1.0 / (static_cast<double>(padded) * static_cast<double>(x.size()));
  for (std::size_t t = 0; t < x.size(); ++t) result[t] = series[t].real() * scale;
  return result;
}

// The lags of one s together, so that they are summed side by side; zeros behind the last value.
std::vector<double> autocovariance(std::span<const double> x, Index num_lags) {
  return autocovariance(x, num_lags, mean(x));
}

std::vector<double> autocovariance(std::span<const double> x, Index num_lags, double mean) {
  constexpr std::size_t kSideBySide = 8;
  const std::size_t n = x.size(), lags = std::min(n, static_cast<std::size_t>(num_lags));
  std::vector<double> result((lags + kSideBySide - 1) / kSideBySide * kSideBySide);
  std::vector<double> centred(n + result.size());
  for (std::size_t s = 0; s < n; ++s) centred[s] = x[s] - mean;
  for (std::size_t first = 0; first < lags; first += kSideBySide) {
    std::array<double, kSideBySide> sums{};
    for (std::size_t s = 0; s < n; ++s) {
      const double now = centred[s], *later = centred.data() + s + first;
#pragma GCC unroll 8
      for (std::size_t t = 0; t < kSideBySide; ++t) sums[t] += now * later[t];
    }
    for (std::size_t t = 0; t < kSideBySide; ++t)
      result[first + t] = sums[t] / static_cast<double>(n);
  }
  result.resize(lags);
  return result;
}

}  // namespace credo::diagnose
