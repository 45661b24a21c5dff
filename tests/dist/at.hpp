// A row of the table at known parameters, as the suites look at it; and rows with planted mistakes.
#pragma once
#include "dist/distribution.hpp"
#include "dist/examples.hpp"
#include "support/reference.hpp"

namespace credo::dist {

using Numbers = std::vector<double>;

class At {
 public:
  At(const Distribution& row, const Example& e)
      : d(row), params(e.params), args(e.params.begin(), e.params.end()) {}
  explicit At(const Example& e) : At(*find(e.name), e) {}

  double log_density(double y) const {
    testing::ThrowingChecks checks;
    return dist::log_density(d, y, args, {.function = d.name}, checks).value.value();
  }
  Numbers log_density(const Numbers& y) const {
    testing::ThrowingChecks checks;
    const Expr column = graph::constant(graph::vector_shape(ssize(y)), y);
    const Expr each = log_density_each(d, column, args, d.name, checks);
    if (each.is_scalar()) return Numbers(y.size(), each.value());
    return {each.values().begin(), each.values().end()};
  }
  double tail(Tail which, double y) const {
    testing::ThrowingChecks checks;
    return dist::tail(d, which, y, args, d.name, checks).value();
  }
  double cdf(double y) const { return tail(Tail::cdf, y); }
  double quantile(Tail which, double value) const {
    return dist::quantile(d, which, value, params);
  }
  double median() const { return quantile(Tail::cdf, 0.5); }
  // Where the tails are 0 and 1.
  double lower() const {
    if (d.name == "von_mises") return -3.141592653589793;
    return d.support == nullptr ? d.lower : d.support(args).lower.value();
  }
  double upper() const {
    if (d.name == "von_mises") return 3.141592653589793;
    return d.support == nullptr ? d.upper : d.support(args).upper.value();
  }

  const Distribution& d;
  const Numbers params;
  const std::vector<Expr> args;
};

inline std::string described(const Example& e) {
  std::string text(e.name);
  for (const double p : e.params) text += " " + ::testing::PrintToString(p);
  return text;
}

// An error in units of what is allowed; not a number is no agreement.
inline double ratio(double error, double allowed) {
  return std::isnan(error) || std::isnan(allowed) ? kInfinity : std::abs(error) / allowed;
}

// A row whose functions are the right ones, somewhat off. One at a time.
struct Mutant {
  static inline const Distribution* right = nullptr;
  static inline double by = 0.0;
};

// Nodes and weights of the double exponential rule on (0, 1) and on (0, infinity): `node` and, on
// (0, 1), its distance to 1.
struct Node {
  double node, rest, weight;
};
inline std::vector<Node> unit_rule() {
  constexpr double kStep = 1.0 / 64, kHalfPi = 1.5707963267948966;
  std::vector<Node> rule;
  for (double u = -4.4; u <= 4.4; u += kStep) {
    const double e = 2.0 * kHalfPi * std::sinh(u);
    const double x = 1.0 / (1.0 + std::exp(-e)), rest = 1.0 / (1.0 + std::exp(e));
    rule.push_back({x, rest, kStep * 2.0 * kHalfPi * std::cosh(u) * x * rest});
  }
  return rule;
}
inline std::vector<Node> half_line_rule() {
  constexpr double kStep = 1.0 / 64, kHalfPi = 1.5707963267948966;
  std::vector<Node> rule;
  for (double u = -4.4; u <= 4.6; u += kStep) {
    const double x = std::exp(kHalfPi * std::sinh(u));
    rule.push_back({x, kInfinity, kStep * kHalfPi * std::cosh(u) * x});
  }
  return rule;
}

// Points from `y` away to `end` (below or above) with their weights; `scale` where there is no end.
struct Points {
  Numbers x, weights;
};
inline Points points_to(double y, double end, double scale) {
  Points points;
  const bool finite = std::isfinite(end);
  for (const Node& n : finite ? unit_rule() : half_line_rule()) {
    const double away = finite ? end - y : end > 0.0 ? scale : -scale;
    const double x = finite && n.node > 0.5 ? end - away * n.rest : y + away * n.node;
    if (!std::isfinite(x) || (finite && (x == end || (x - y) * (x - end) > 0.0))) continue;
    points.x.push_back(x);
    points.weights.push_back(std::abs(away) * n.weight);
  }
  return points;
}

// Kolmogorov-Smirnov distance of sorted numbers to the uniform distribution, times sqrt(n). It
// exceeds x with probability about 2 exp(-2 x^2): 1e-7 for 2.9.
inline constexpr double kRejectAbove = 2.9;
inline double uniform_distance(Numbers u) {
  std::sort(u.begin(), u.end());
  const auto n = static_cast<double>(u.size());
  double largest = 0.0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    const auto k = static_cast<double>(i);
    largest = std::max({largest, u[i] - k / n, (k + 1.0) / n - u[i]});
  }
  return largest * std::sqrt(n);
}

}  // namespace credo::dist
