// The transform of |transform|², of the centred series with as many zeros behind it, so that the
// circular correlation is the plain one.
#include "diagnose/autocovariance.hpp"

#include <cstring>

#include "diagnose/chains.hpp"
#include "numerics/fft.hpp"

namespace credo::diagnose {
namespace {
// Sums of x_s later_{s+t} over n values s, for kLagsTogether lags t: the same bits on every processor, since each sum has its
// own order and products are rounded before they are added.
constexpr std::size_t kLagsTogether = 16;
using LagSums = void (*)(const double* x, const double* later, std::size_t n, double* sums);
using Eight [[gnu::vector_size(64)]] = double;

[[gnu::always_inline]] inline void add_lags(const double* x, const double* later, std::size_t n,
                                            double* sums) {
  Eight low{}, high{}, a, b;
  for (std::size_t s = 0; s < n; ++s) {
    std::memcpy(&a, later + s, sizeof a);
    std::memcpy(&b, later + s + kLagsTogether / 2, sizeof b);
    low += x[s] * a, high += x[s] * b;
  }
  std::memcpy(sums, &low, sizeof low);
  std::memcpy(sums + kLagsTogether / 2, &high, sizeof high);
}

void lag_sums(const double* x, const double* later, std::size_t n, double* sums) {
  add_lags(x, later, n, sums);
}
#ifdef __x86_64__
[[gnu::target("avx2")]] void lag_sums_avx2(const double* x, const double* later, std::size_t n,
                                           double* sums) {
  add_lags(x, later, n, sums);
}
[[gnu::target("avx512f")]] void lag_sums_avx512(const double* x, const double* later, std::size_t n,
                                                double* sums) {
  add_lags(x, later, n, sums);
}
LagSums fastest_lag_sums() {
  if (__builtin_cpu_supports("avx512f")) return lag_sums_avx512;
  return __builtin_cpu_supports("avx2") ? lag_sums_avx2 : lag_sums;
}
#else
LagSums fastest_lag_sums() { return lag_sums; }
#endif
}  // namespace

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
  const std::size_t n = x.size(), lags = std::min(n, static_cast<std::size_t>(num_lags));
  std::vector<double> result((lags + kLagsTogether - 1) / kLagsTogether * kLagsTogether);
  std::vector<double> centred(n + result.size());
  for (std::size_t s = 0; s < n; ++s) centred[s] = x[s] - mean;
  static const LagSums fastest = fastest_lag_sums();
  for (std::size_t first = 0; first < lags; first += kLagsTogether)
    fastest(centred.data(), centred.data() + first, n, result.data() + first);
  for (double& sum : result) sum /= static_cast<double>(n);
  result.resize(lags);
  return result;
}

}  // namespace credo::diagnose
