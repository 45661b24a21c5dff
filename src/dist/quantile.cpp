// Quantiles by inverting the tails where a row has no formula of its own.
//
// Continuous: a bracket grown from the mean (or 0) by doubling, then Newton's method and bisection
// on the smaller tail's logarithm until the bracket is two neighbouring numbers or one relative
// unit of 4e-16 wide, or a step is below that. Discrete: the same over whole numbers, with the tail
// that was given, so that the quantile of a computed tail is the number that it was computed at.
#include "dist/quantile.hpp"

#include "dist/formula.hpp"
#include "graph/core/special.hpp"
#include "numerics/incomplete_beta.hpp"
#include "numerics/incomplete_gamma.hpp"

namespace credo::dist {
namespace {

// Excess of a tail over the requested level; it grows with x.
class Excess {
 public:
  Excess(const Distribution& d, const Level& at, Params params)
      : d_(d), args_(params.begin(), params.end()), at_(at) {
    side_ = d.discrete ? at.given : is_left(at) ? Tail::log_cdf : Tail::log_ccdf;
  }
  double at(double x) const {
    if (side_ == Tail::cdf) return d_.cdf(x, args_).value() - at_.p;
    if (side_ == Tail::log_cdf) return d_.log_cdf(x, args_).value() - at_.log_p;
    return at_.log_q - d_.log_ccdf(x, args_).value();
  }
  // Its derivative where it is `value`: density over tail.
  double slope(double x, double value) const {
    double log_density = 0.0;
    for (const Expr& term : d_.log_density(x, args_)) log_density += term.value();
    const double log_tail = side_ == Tail::log_cdf ? at_.log_p + value : at_.log_q - value;
    return numerics::exp(log_density - log_tail);
  }

 private:
  const Distribution& d_;
  std::vector<Expr> args_;
  const Level& at_;
  Tail side_ = Tail::cdf;
};

struct Bracket {
  double lo, hi;  // excess(lo) < 0 <= excess(hi)
};

Bracket find_bracket(const Excess& excess, double start, const Bracket& ends) {
  double step = std::max(1.0, std::abs(start));
  Bracket b{start, start};
  if (excess.at(start) < 0.0) {
    while (b.hi < ends.hi && excess.at(b.hi) < 0.0) {
      b.lo = b.hi;
      b.hi = std::min(ends.hi, b.hi + step);
      step *= 2.0;
    }
    return b;
  }
  while (b.lo > ends.lo && excess.at(b.lo) >= 0.0) {
    b.hi = b.lo;
    b.lo = std::max(ends.lo, b.lo - step);
    step *= 2.0;
  }
  return b;
}

// Halving in the logarithm where the ends are orders of magnitude apart, so tiny quantiles keep
// their digits.
double middle(const Bracket& b) {
  if (b.lo > 0.0 && b.hi > 4.0 * b.lo) return numerics::sqrt(b.lo) * numerics::sqrt(b.hi);
  if (b.lo == 0.0 && b.hi > 1e-300) return b.hi > 1e-3 ? b.hi * 0.0625 : b.hi * b.hi;
  return b.lo + 0.5 * (b.hi - b.lo);
}

// Newton's steps on the logarithm where they stay within the bracket; every third halves it.
double continuous(const Excess& excess, Bracket b) {
  constexpr double kRelative = 4e-16;
  double x = middle(b);
  for (int i = 0; i < 600 && b.hi - b.lo > kRelative * std::abs(b.hi); ++i) {
    if (!(x > b.lo && x < b.hi)) break;
    const double value = excess.at(x), next = x - value / excess.slope(x, value);
    (value < 0.0 ? b.lo : b.hi) = x;
    if (std::abs(next - x) <= 0.5 * kRelative * std::abs(x)) return x;
    x = i % 3 != 2 && next > b.lo && next < b.hi ? next : middle(b);
  }
  return b.hi;
}

double discrete(const Excess& excess, Bracket b) {
  while (b.hi - b.lo > 1.0) {
    const double x = numerics::floor(b.lo + 0.5 * (b.hi - b.lo));
    if (!(x > b.lo && x < b.hi)) break;  // beyond 2^53
    (excess.at(x) < 0.0 ? b.lo : b.hi) = x;
  }
  return excess.at(b.lo) >= 0.0 ? b.lo : b.hi;
}
}  // namespace

Level level(Tail given, double value) {
  namespace nm = numerics;
  if (given == Tail::cdf) return {given, value, 1.0 - value, nm::log(value), nm::log1p(-value)};
  const double other = nm::log1m_exp(value);
  if (given == Tail::log_cdf) return {given, nm::exp(value), -nm::expm1(value), value, other};
  return {given, -nm::expm1(value), nm::exp(value), other, value};
}

double log_odds(const Level& at) {
  return at.given == Tail::cdf ? numerics::logit(at.p) : at.log_p - at.log_q;
}

double gamma_quantile(const Level& at, double shape) {
  return is_left(at) ? numerics::inv_log_gamma_p(shape, at.log_p)
                     : numerics::inv_log_gamma_q(shape, at.log_q);
}

double beta_quantile(const Level& at, double a, double b) {
  const double logit = is_left(at) ? numerics::inv_log_inc_beta_logit(a, b, at.log_p)
                                   : -numerics::inv_log_inc_beta_logit(b, a, at.log_q);
  return numerics::inv_logit(logit);
}

// P(|T| > |t|) = I_x(nu/2, 1/2) with logit x = log(nu/t^2); near the median from its complement.
double student_t_quantile(const Level& at, double nu) {
  const double log_tail = std::min(at.log_p, at.log_q), sign = is_left(at) ? -1.0 : 1.0;
  if (log_tail < -1.5) {
    const double z = numerics::inv_log_inc_beta_logit(0.5 * nu, 0.5, kLog2 + log_tail);
    return sign * numerics::exp(0.5 * (numerics::log(nu) - z));
  }
  const double within = std::abs(at.q - at.p);
  if (within == 0.0) return 0.0;
  const double z = numerics::inv_log_inc_beta_logit(0.5, 0.5 * nu, numerics::log(within));
  return sign * numerics::exp(0.5 * (numerics::log(nu) + z));
}

double invert_tails(const Distribution& d, const Level& at, Params args, double lower,
                    double upper) {
  if (at.log_p == -kInfinity) return lower;
  if (at.log_q == -kInfinity) return upper;
  double start = d.mean == nullptr ? 0.0 : d.mean(args);
  if (!std::isfinite(start)) start = std::isfinite(lower) ? lower + 1.0 : 0.0;
  start = std::clamp(d.discrete ? numerics::floor(start) : start, lower, upper);
  const Excess excess(d, at, args);
  const Bracket bracket = find_bracket(excess, start, {lower, upper});
  return d.discrete ? discrete(excess, bracket) : continuous(excess, bracket);
}

double quantile(const Distribution& d, Tail which, double value, Params args) {
  const Level at = level(which, value);
  if (!(at.p >= 0.0 && at.p <= 1.0) || d.kind != Kind::univariate) return kNaN;
  const bool by_formula = d.quantile != nullptr;
  if (!by_formula && (d.log_cdf == nullptr || d.log_ccdf == nullptr)) return kNaN;
  const std::vector<Expr> in(args.begin(), args.end());
  const Support support = d.support == nullptr ? Support{d.lower, d.upper} : d.support(in);
  const double lower = support.lower.value(), upper = support.upper.value();
  if (by_formula) return std::clamp(d.quantile(at, args), lower, upper);
  return invert_tails(d, at, args, lower, upper);
}

}  // namespace credo::dist
