// Shared parts of the distributions' formulas.
#pragma once
#include "dist/distribution.hpp"
#include "numerics/elementary.hpp"
#include "numerics/special.hpp"

namespace credo::dist {

inline constexpr double kPi = 3.14159265358979323846;
inline constexpr double kLog2 = 0.69314718055994530942;
inline constexpr double kLogPi = 1.14472988584940017414;
inline constexpr double kHalfLog2Pi = 0.91893853320467274178;
inline constexpr double kEuler = 0.57721566490153286061;
inline constexpr double kHalfLog2PiE = 1.41893853320467274178;  // entropy of the standard normal
inline constexpr double kSmallest =
    4.9406564584124654e-324;  // lower end of a support that is open at 0

using Terms = std::vector<Expr>;

// Element i of a column of known whole numbers that may be a scalar; searches for quantiles come to
// 2^63 and beyond.
inline double whole_value(const Expr& x, Index i = 0) { return x.value(x.is_scalar() ? 0 : i); }

inline Expr standardised(const Expr& y, const Expr& location, const Expr& scale) {
  return (y - location) / scale;
}

// log(-log p) and log(-log q): -log p is q where q is tiny, though log p rounds to 0.
inline double log_minus_log_p(const Level& at) {
  return at.log_q < -40.0 ? at.log_q : numerics::log(-at.log_p);
}
inline double log_minus_log_q(const Level& at) {
  return at.log_p < -40.0 ? at.log_p : numerics::log(-at.log_q);
}
inline bool is_left(const Level& at) { return at.log_p < at.log_q; }

// The standard normal's quantile.
inline double normal_score(const Level& at) {
  if (at.given == Tail::cdf) return numerics::inv_phi(at.p);
  return is_left(at) ? numerics::inv_phi_log(at.log_p) : -numerics::inv_phi_log(at.log_q);
}

// Elements begin ... begin + size - 1 as a vector.
inline Expr part(const Expr& x, Index begin, Index size) {
  if (begin == 0 && size == x.size()) return x.reshaped(graph::vector_shape(size));
  return slice(graph::vector_shape(size), x, begin);
}

// Outcome i as a category in 1..most; one outside has been refused and becomes an end.
inline Index category(const Expr& y, Index i, Index most) {
  const double value = whole_value(y, i);
  return value > 1.0 ? static_cast<Index>(std::min(value, std::max(1.0, double(most)))) : 1;
}

// theta[y] for each outcome y in 1..K.
inline Expr pick(const Expr& theta, const Expr& y) {
  if (!y.is_constant()) return take(theta, y - 1.0);
  std::vector<std::int32_t> index(static_cast<std::size_t>(y.size()));
  for (Index i = 0; i < y.size(); ++i) {
    const Index k = category(y, i, theta.size());
    index[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(k - 1);
  }
  if (y.is_scalar()) return theta.element(index[0]);
  const auto shape = graph::vector_shape(y.size());
  return gather(shape, theta, std::move(index));
}

inline void check_category(const Expr& y, Index categories, std::string_view function,
                           Checks& checks) {
  if (y.empty()) return;
  const graph::Requirement rule{function, "outcome", "between 1 and the number of categories"};
  checks.greater_equal(y, 1.0, rule);
  checks.less_equal(y, static_cast<double>(categories), rule);
}

}  // namespace credo::dist
