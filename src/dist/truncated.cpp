// Distributions cut to a range, on the side where the tails are small.
#include "dist/formula.hpp"
#include "dist/quantile.hpp"

namespace credo::dist {
namespace {

// log P(X <= x) and log P(X > x), or of a discrete one with X < x for X <= x at the lower end.
struct End {
  double log_below, log_above;
};

End end_at(const Distribution& d, double x, Args args, const Support& support) {
  const double lower = support.lower.value(), upper = support.upper.value();
  if (x < lower || (x == lower && !d.discrete)) return {-kInfinity, 0.0};
  if (x >= upper) return {0.0, -kInfinity};
  return {d.log_cdf(x, args).value(), d.log_ccdf(x, args).value()};
}

struct Ends {
  End lower, upper;
};

Ends ends_of(const Distribution& d, const Range& range, Params params) {
  const std::vector<Expr> args(params.begin(), params.end());
  const Support support = d.support == nullptr ? Support{d.lower, d.upper} : d.support(args);
  const double from = d.discrete ? numerics::ceil(range.lower) - 1.0 : range.lower;
  const double to = d.discrete ? numerics::floor(range.upper) : range.upper;
  return {end_at(d, from, args, support), end_at(d, to, args, support)};
}

bool on_the_right(const Ends& e) { return e.lower.log_above < e.upper.log_below; }

double log_mass_of(const Ends& e) {
  return on_the_right(e) ? numerics::log_diff_exp(e.lower.log_above, e.upper.log_above)
                         : numerics::log_diff_exp(e.upper.log_below, e.lower.log_below);
}
}  // namespace

double log_mass(const Distribution& d, const Range& range, Params args) {
  if (d.log_cdf == nullptr || d.log_ccdf == nullptr) return kNaN;
  return range.lower > range.upper ? -kInfinity : log_mass_of(ends_of(d, range, args));
}

double draw_within(const Distribution& d, const Range& range, Rng& rng, Params args) {
  return quantile_within(d, range, rng.uniform(), args);
}

double quantile_within(const Distribution& d, const Range& range, double u, Params args) {
  const Ends e = ends_of(d, range, args);
  const double log_mass = log_mass_of(e), log_u = numerics::log(u);
  if (!(log_mass > -kInfinity)) return kNaN;
  const bool right = on_the_right(e);
  const double beyond = right ? e.upper.log_above : e.lower.log_below;
  const double log_tail = std::min(0.0, numerics::log_sum_exp(beyond, log_u + log_mass));
  const double x = quantile(d, right ? Tail::log_ccdf : Tail::log_cdf, log_tail, args);
  return std::clamp(x, d.discrete ? numerics::ceil(range.lower) : range.lower,
                    d.discrete ? numerics::floor(range.upper) : range.upper);
}

Expr log_mass_between(const Expr& log_cdf_lower, const Expr& log_ccdf_lower,
                      const Expr& log_cdf_upper, const Expr& log_ccdf_upper) {
  const Expr right = less(log_ccdf_lower, log_cdf_upper);
  return log_diff_exp(select(right, log_ccdf_lower, log_cdf_upper),
                      select(right, log_ccdf_upper, log_cdf_lower));
}

}  // namespace credo::dist
