#include "dist/covariance.hpp"

#include "dist/formula.hpp"

namespace credo::dist {
namespace {
// sum over k of ((x_k - y_k) / rho_k)^2. With one length scale the sum of squares comes first: with known points it is a constant.
Expr squared_distances(const PairsOfPoints& points, const Expr& length_scale) {
  const bool one = length_scale.is_scalar();
  const Expr weight = 1.0 / square(length_scale);
  Expr total = graph::fill(points.shape, 0.0);
  for (Index k = 0; k < points.dimension; ++k) {
    const Expr apart = square(points.x(k) - points.y(k));
    total = total + (one ? apart : apart * weight.element(k));
  }
  return one ? total * weight : total;
}

// The root with derivative 0 at 0: a distance of a point to itself stays 0 whatever the lengths.
Expr root(const Expr& x) {
  const Expr zero = graph::equal(x, 0.0);
  return graph::select(zero, 0.0, graph::sqrt(graph::select(zero, 1.0, x)));
}

// alpha^2 f(squared distance in units of the length scales)
template <class F>
Expr stationary(const PairsOfPoints& points, std::span<const Expr> parameters, F f) {
  const Expr amplitude = square(parameters[0]);
  return amplitude * f(squared_distances(points, parameters[1]));
}

Expr exp_quad(const PairsOfPoints& points, std::span<const Expr> parameters) {
  return stationary(points, parameters, [](const Expr& r2) { return exp(-0.5 * r2); });
}
Expr exponential(const PairsOfPoints& points, std::span<const Expr> parameters) {
  return stationary(points, parameters, [](const Expr& r2) { return exp(-root(r2)); });
}
Expr matern32(const PairsOfPoints& points, std::span<const Expr> parameters) {
  return stationary(points, parameters, [](const Expr& r2) {
    const Expr r = root(3.0 * r2);
    return (1.0 + r) * exp(-r);
  });
}
Expr matern52(const PairsOfPoints& points, std::span<const Expr> parameters) {
  return stationary(points, parameters, [](const Expr& r2) {
    const Expr r = root(5.0 * r2);
    return (1.0 + r + (5.0 / 3.0) * r2) * exp(-r);
  });
}
Expr periodic(const PairsOfPoints& points, std::span<const Expr> parameters) {
  const Expr distance = root(squared_distances(points, 1.0));
  const Expr wave = sin(kPi * distance / parameters[2]);
  const Expr scale = -2.0 / square(parameters[1]);
  return square(parameters[0]) * exp(scale * square(wave));
}
Expr dot_prod(const PairsOfPoints& points, std::span<const Expr> parameters) {
  Expr total = graph::fill(points.shape, 0.0);
  for (Index k = 0; k < points.dimension; ++k) total = total + points.x(k) * points.y(k);
  return square(parameters[0]) + total;
}

constexpr HyperParameter kMagnitude{"magnitude"};
constexpr std::array kStationary{kMagnitude, HyperParameter{"length scale", false, true}};
constexpr std::array kPeriodic{kMagnitude, HyperParameter{"length scale"},
                               HyperParameter{"period"}};
constexpr std::array kDotProd{HyperParameter{"sigma", true}};

constexpr std::array<Covariance, 6> kCovariances{{
    {"dot_prod", "σ² + x·y", "rasmussen2006", kDotProd, false, false, dot_prod},
    {"exp_quad", "α² exp(-r²/2), r² = Σ ((x_k - y_k)/ρ_k)²", "rasmussen2006", kStationary, true,
     false, exp_quad},
    {"exponential", "α² exp(-r)", "rasmussen2006", kStationary, true, false, exponential},
    {"matern32", "α² (1 + √3 r) exp(-√3 r)", "rasmussen2006", kStationary, true, false, matern32},
    {"matern52", "α² (1 + √5 r + 5 r²/3) exp(-√5 r)", "rasmussen2006", kStationary, true, false,
     matern52},
    {"periodic", "α² exp(-2 sin²(π |x - y|/p)/ρ²)", "rasmussen2006", kPeriodic, true, true,
     periodic},
}};
}  // namespace

std::span<const Covariance> covariances() { return kCovariances; }

}  // namespace credo::dist
