#include "dist/binomial_tails.hpp"

#include "graph/core/special.hpp"

namespace credo::dist {
namespace {

// The shapes of the incomplete beta function: failures left and successes above y; 1 and 1 where y
// = N.
struct Shapes {
  Expr below, rest, next;
};
Shapes shapes(const Expr& y, const Expr& size) {
  const Expr below = less(y, size);
  return {below, select(below, size - y, 1.0), select(below, y + 1.0, 1.0)};
}
}  // namespace

Expr binomial_log_cdf(const Expr& y, const Expr& size, const Expr& log_odds) {
  const Shapes s = shapes(y, size);
  return select(s.below, log_inc_beta(s.rest, s.next, -log_odds), 0.0);
}

Expr binomial_log_ccdf(const Expr& y, const Expr& size, const Expr& log_odds) {
  const Shapes s = shapes(y, size);
  return select(s.below, log_inc_beta(s.next, s.rest, log_odds), -kInfinity);
}

}  // namespace credo::dist
