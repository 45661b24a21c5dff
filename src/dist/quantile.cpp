// Quantiles by inverting the cdf where a row has no formula of its own.
//
// Continuous: a bracket grown from the mean (or 0) by doubling, then bisection on the smaller
// tail's logarithm until the bracket is two neighbouring numbers or one relative unit of 4e-16
// wide. Discrete: the same over whole numbers.
#include "dist/formula.hpp"

namespace credo::dist {
namespace {

// The cdf less p, on the scale of the smaller tail, so that p = 1 - 1e-12 keeps its digits as
// given.
class Excess {
 public:
  Excess(const Distribution& d, double p, Params params)
      : d_(d),
        args_(params.begin(), params.end()),
        log_p_(numerics::log(p)),
        log_q_(numerics::log1p(-p)) {}

  double at(double x) const {
    if (log_p_ < log_q_) return d_.log_cdf(x, args_).value() - log_p_;
    return log_q_ - d_.log_ccdf(x, args_).value();
  }
  Support support() const {
    return d_.support == nullptr ? Support{d_.lower, d_.upper} : d_.support(args_);
  }

 private:
  const Distribution& d_;
  std::vector<Expr> args_;
  double log_p_, log_q_;
};

struct Bracket {
  double lo, hi;  // excess(lo) < 0 <= excess(hi)
};

Bracket find_bracket(const Excess& excess, double start, double lower, double upper) {
  double step = std::max(1.0, std::abs(start));
  Bracket b{start, start};
  if (excess.at(start) < 0.0) {
    while (b.hi < upper && excess.at(b.hi) < 0.0) {
      b.lo = b.hi;
      b.hi = std::min(upper, b.hi + step);
      step *= 2.0;
    }
    return b;
  }
  while (b.lo > lower && excess.at(b.lo) >= 0.0) {
    b.hi = b.lo;
    b.lo = std::max(lower, b.lo - step);
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

double continuous(const Excess& excess, Bracket b) {
  constexpr double kRelative = 4e-16;
  for (int i = 0; i < 400 && b.hi - b.lo > kRelative * std::abs(b.hi); ++i) {
    const double x = middle(b);
    if (!(x > b.lo && x < b.hi)) break;
    (excess.at(x) < 0.0 ? b.lo : b.hi) = x;
  }
  return b.hi;
}

double discrete(const Excess& excess, Bracket b) {
  while (b.hi - b.lo > 1.0) {
    const double x = numerics::floor(b.lo + 0.5 * (b.hi - b.lo));
    (excess.at(x) < 0.0 ? b.lo : b.hi) = x;
  }
  return excess.at(b.lo) >= 0.0 ? b.lo : b.hi;
}
}  // namespace

double quantile(const Distribution& d, double p, Params args) {
  if (!(p >= 0.0 && p <= 1.0)) return kNaN;
  if (d.quantile != nullptr) return d.quantile(p, args);
  if (d.log_cdf == nullptr || d.log_ccdf == nullptr) return kNaN;
  const Excess excess(d, p, args);
  const Support support = excess.support();
  const double lower = support.lower.value(), upper = support.upper.value();
  if (p == 0.0) return lower;
  if (p == 1.0) return upper;
  double start = d.mean == nullptr ? 0.0 : d.mean(args);
  if (!std::isfinite(start)) start = std::isfinite(lower) ? lower + 1.0 : 0.0;
  start = std::clamp(d.discrete ? numerics::floor(start) : start, lower, upper);
  const Bracket bracket = find_bracket(excess, start, lower, upper);
  return d.discrete ? discrete(excess, bracket) : continuous(excess, bracket);
}

}  // namespace credo::dist
