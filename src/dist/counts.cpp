#include "dist/counts.hpp"

#include "dist/entropy.hpp"

namespace credo::dist {

Moments multinomial_moments(std::span<const double> theta, double size) {
  double entropy = -numerics::lgamma(size + 1.0);
  for (const double p : theta) {
    const std::array<double, 2> params{size, std::min(p, 1.0)};
    entropy +=
        expectation(*find("binomial"), params, [](const Expr& k) { return lgamma(k + 1.0); });
    entropy -= size * x_log_x(p);
  }
  return count_moments(share_moments(theta, 1.0, size, entropy), size);
}

}  // namespace credo::dist
