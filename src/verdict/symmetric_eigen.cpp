#include "verdict/symmetric_eigen.hpp"

namespace credo::verdict {
namespace {
constexpr int kMostSweeps = 50;
constexpr double kDone = 1e-30;  // squares off the diagonal, against those on it

struct Rotation {
  double c, s;
};

// That makes entry (p, q) zero.
Rotation rotation_for(double pp, double pq, double qq) {
  const double theta = (qq - pp) / (2.0 * pq);
  const double t = (theta >= 0.0 ? 1.0 : -1.0) / (std::fabs(theta) + std::hypot(theta, 1.0));
  const double c = 1.0 / std::hypot(t, 1.0);
  return {c, t * c};
}

void rotate(double& x, double& y, const Rotation& r) {
  const double old = x;
  x = r.c * old - r.s * y;
  y = r.s * old + r.c * y;
}
}  // namespace

SymmetricEigen symmetric_eigen(std::vector<double> a, std::size_t n) {
  std::vector<double> v(n * n, 0.0);
  for (std::size_t k = 0; k < n; ++k) v[k * n + k] = 1.0;
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    double off = 0.0, on = 0.0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) (i == j ? on : off) += a[i * n + j] * a[i * n + j];
    if (off <= kDone * on) break;
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) {
        if (a[p * n + q] == 0.0) continue;
        const Rotation r = rotation_for(a[p * n + p], a[p * n + q], a[q * n + q]);
        for (std::size_t k = 0; k < n; ++k) rotate(a[k * n + p], a[k * n + q], r);
        for (std::size_t k = 0; k < n; ++k) rotate(a[p * n + k], a[q * n + k], r);
        for (std::size_t k = 0; k < n; ++k) rotate(v[p * n + k], v[q * n + k], r);
      }
  }
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t i, std::size_t j) { return a[i * n + i] < a[j * n + j]; });
  SymmetricEigen result{.size = n, .values = {}, .vectors = {}};
  for (const std::size_t k : order) {
    result.values.push_back(a[k * n + k]);
    result.vectors.insert(result.vectors.end(), v.begin() + static_cast<std::ptrdiff_t>(k * n),
                          v.begin() + static_cast<std::ptrdiff_t>((k + 1) * n));
  }
  return result;
}

}  // namespace credo::verdict
