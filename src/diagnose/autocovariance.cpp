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

}  // namespace credo::diagnose
