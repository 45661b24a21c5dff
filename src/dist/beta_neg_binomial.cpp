// Failures before the r-th success whose probability is beta(alpha, beta):
//   p = Gamma(r + y) / (Gamma(r) y!) B(alpha + r, beta + y) / B(alpha, beta).
//
// The lower tail is a sum of y + 1 masses. The upper one, where it is small, is P(X < V) with X
// beta(alpha, beta) and V beta(r, y + 1): the series of I_V(alpha, beta) in powers of V has the
// expectation, with positive terms that fall off as n^-(y + 2),
//   B(r + alpha, y + 1 + beta) / (B(r, y + 1) alpha B(alpha, beta))
//     sum_n (alpha + beta)_n (r + alpha)_n / ((alpha + 1)_n (r + alpha + beta + y + 1)_n);
// where y is too small for it, 128 masses and the rest as the power law that they tend to.
#include "dist/mass_sums.hpp"
#include "dist/samplers.hpp"
#include "graph/core/special.hpp"

namespace credo::dist::beta_neg_binomial_row {
namespace {

Terms log_density(const Expr& y, Args args) {
  const Expr &r = args[0], &alpha = args[1], &beta = args[2];
  return {-lgamma(y + 1.0), lgamma_delta(r, y), lgamma_delta(alpha, beta),
          -lgamma_delta(r + alpha, beta + y), lgamma_delta(beta, y)};
}
constexpr double kMostSummed = 1e5, kSeriesFrom = 8.0, kSeriesTerms = 96.0, kUpperTerms = 128.0;

// One element with its arguments.
struct Point {
  double y;
  Expr r, alpha, beta;
  std::array<Expr, 3> args() const { return {r, alpha, beta}; }
};
Point point(const Expr& y, Args args, Index i) {
  const auto at = [&](const Expr& x) { return x.is_scalar() ? x : x.element(i); };
  return {whole_value(y, i), at(args[0]), at(args[1]), at(args[2])};
}

Expr log_sum(const Point& p, double from, double to) {
  const std::array<WholeRange, 1> range{{{from, to}}};
  return log_sum_of_masses(log_density, range, p.args());
}
Expr log_series(const Point& p) {
  std::vector<double> numbers(static_cast<std::size_t>(kSeriesTerms));
  std::iota(numbers.begin(), numbers.end(), 0.0);
  const Expr n = graph::constant(graph::vector_shape(ssize(numbers)), numbers);
  const Expr &alpha = p.alpha, &beta = p.beta, both = p.r + alpha;
  const Expr terms = lgamma_delta(alpha + beta, n) - lgamma_delta(alpha + 1.0, n) +
                     lgamma_delta(both, n) - lgamma_delta(both + beta + (p.y + 1.0), n);
  return lbeta(both, beta + (p.y + 1.0)) - lbeta(p.r, p.y + 1.0) - log(alpha) - lbeta(alpha, beta) +
         log_sum_exp(terms);
}
// The masses tend to c (k + shift)^-(1 + alpha).
Expr log_masses_above(const Point& p) {
  const Expr &r = p.r, &alpha = p.alpha, both = r + alpha;
  const Expr shift = (both * (both + 2.0 * p.beta - 1.0) - r * (r - 1.0)) / (2.0 * (1.0 + alpha));
  const double end = p.y + kUpperTerms + 0.5;
  Expr log_rest = log(end + shift) - log(alpha);
  for (const Expr& term : log_density(end, p.args())) log_rest = log_rest + term;
  return log_sum_exp(log_sum(p, p.y + 1.0, p.y + kUpperTerms), log_rest);
}
// Good where it is small.
Expr log_upper(const Point& p) {
  if (p.y > kMostSummed) return log_series(p);
  if (p.y < kSeriesFrom) return log_masses_above(p);
  const Expr reached = less_equal((p.r + p.alpha) * (p.alpha + p.beta), (p.alpha + 1.0) * p.y);
  return select(reached, log_series(p), log_masses_above(p));
}

struct LogTails {
  Expr lower, upper;
};
LogTails log_tails(const Point& p) {
  constexpr double kSmall = -11.0;  // above, the complement keeps 11 digits
  const Expr upper = log_upper(p);
  if (p.y > kMostSummed) return {log1m_exp(upper), upper};
  const Expr lower = log_sum(p, 0.0, p.y), small = less(upper, kSmall);
  return {select(small, log1m_exp(select(small, upper, -1.0)), lower),
          select(small, upper, log1m_exp(select(small, -1.0, fmin(lower, 0.0))))};
}
Expr each(const Expr& y, Args args, Expr LogTails::*side) {
  std::vector<Expr> all;
  for (Index i = 0; i < num_elements(y, args); ++i)
    all.push_back(log_tails(point(y, args, i)).*side);
  return all.size() == 1 ? all[0] : pack(graph::vector_shape(ssize(all)), all);
}
Expr log_cdf(const Expr& y, Args args) { return each(y, args, &LogTails::lower); }
Expr log_ccdf(const Expr& y, Args args) { return each(y, args, &LogTails::upper); }
Expr cdf(const Expr& y, Args args) { return exp(log_cdf(y, args)); }
double draw(Rng& rng, Params args) {
  const double up = draw_log_gamma(rng, args[1]), down = draw_log_gamma(rng, args[2]);
  return draw_neg_binomial(rng, args[0], args[0] * numerics::exp(down - up));
}
double mean(Params args) { return args[1] > 1.0 ? args[0] * args[2] / (args[1] - 1.0) : kInfinity; }
double variance(Params args) {
  const double r = args[0], alpha = args[1], beta = args[2];
  if (alpha <= 2.0) return kInfinity;
  return r * beta * (r + alpha - 1.0) * (beta + alpha - 1.0) /
         ((alpha - 2.0) * (alpha - 1.0) * (alpha - 1.0));
}
}  // namespace

extern const Distribution beta_neg_binomial{
    .name = "beta_neg_binomial",
    .discrete = true,
    .args = {{"number of successes parameter", Domain::positive_finite},
             {"prior success parameter", Domain::positive_finite},
             {"prior failure parameter", Domain::positive_finite}},
    .outcome = {"failures variable", Domain::integer},
    .lower = 0.0,
    .reference = "johnson2005, ch. 6",
    .log_density = log_density,
    .cdf = cdf,
    .log_cdf = log_cdf,
    .log_ccdf = log_ccdf,
    .draw = draw,
    .mean = mean,
    .variance = variance};

}  // namespace credo::dist::beta_neg_binomial_row
