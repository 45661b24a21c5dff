#include "numerics/log_sum.hpp"

#include "numerics/elementary.hpp"

namespace credo::numerics {
namespace {
double largest_of(std::span<const double> values) {
  double largest = -kInfinity;
  for (const double x : values) largest = std::max(largest, x);
  return largest;
}
}  // namespace

double log_sum_exp(std::span<const double> values) {
  constexpr std::size_t kBlock = 64;
  const double largest = largest_of(values);
  if (std::isinf(largest)) return largest;
  double sum = 0.0;
  std::array<double, kBlock> terms;
  for (std::size_t first = 0; first < values.size(); first += kBlock) {
    const std::size_t count = std::min(kBlock, values.size() - first);
    for (std::size_t i = 0; i < count; ++i) terms[i] = values[first + i] - largest;
    function(Unary::exp).array(terms.data(), terms.data(), count);
    for (std::size_t i = 0; i < count; ++i) sum += terms[i];
  }
  return largest + log(sum);
}

double weights_of_largest(std::span<double> logs) {
  const double largest = largest_of(logs);
  for (double& x : logs) x -= largest;
  function(Unary::exp).array(logs.data(), logs.data(), logs.size());
  return largest;
}

}  // namespace credo::numerics
