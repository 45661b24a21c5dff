#include "results/draws/places.hpp"

#include "diagnose/chains.hpp"
#include "diagnose/ecdf_band.hpp"

namespace credo::results {

PlaceFigures judge_places(std::span<const double> places) {
  const double mean = diagnose::mean(places);
  double square = 0.0;  // about the mean, so that a shift isn't taken for width
  for (const double u : places) square += (u - mean) * (u - mean);
  return {.count = ssize(places),
          .p_value = diagnose::ecdf_p_value(places, kPlacePoints),
          .mean = mean,
          .spread = 12.0 * square / static_cast<double>(places.size())};
}

std::string_view PlaceFigures::fault() const {
  const auto n = static_cast<double>(count);
  const double shift = (mean - 0.5) * std::sqrt(12.0 * n);
  const double width = (spread - 1.0) * std::sqrt(n / 0.8);  // variance if uniform: 4/5 / n
  if (std::abs(shift) >= std::abs(width)) return shift > 0.0 ? "too low" : "too high";
  return width > 0.0 ? "too narrow" : "too wide";
}

}  // namespace credo::results
