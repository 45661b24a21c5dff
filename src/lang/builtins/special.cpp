// Special functions: factorials and binomial coefficients, incomplete functions, quantiles.
// Formulas over the operation table.
#include <fmt/format.h>

#include "graph/core/special.hpp"
#include "lang/builtins/rows.hpp"

namespace credo::lang {
namespace {

// ---- gamma and beta functions

// The sign of the gamma function left of 0 alternates between the poles.
Expr tgamma(const Expr& x) {
  const Expr half = 0.5 * graph::floor(x);
  const Expr is_odd = 1.0 - graph::equal(half, graph::floor(half));
  const Expr sign = graph::select(graph::less(x, 0.0), 1.0 - 2.0 * is_odd, 1.0);
  return sign * graph::exp(graph::lgamma(x));
}
Value tgamma_off_poles(const BuiltinCall& c) {
  const Expr x = c.expr(0);
  const Expr pole = graph::less_equal(x, 0.0) * graph::equal(x, graph::floor(x));
  c.machine.checks().greater(graph::select(pole, x, 1.0), 0.0,
                             {c.name, "argument", "positive, or not a whole number"});
  return unary<tgamma>(c);
}

Expr gamma_p(const Expr& a, const Expr& x) { return graph::exp(graph::log_gamma_p(a, x)); }
Expr gamma_q(const Expr& a, const Expr& x) { return graph::exp(graph::log_gamma_q(a, x)); }
template <Binary f>
Value incomplete_gamma(const BuiltinCall& c) {
  c.machine.checks().greater(c.expr(0), 0.0, {c.name, "first argument", "positive"});
  c.machine.checks().greater_equal(c.expr(1), 0.0, {c.name, "second argument", "nonnegative"});
  return binary<f>(c);
}

// log of the multivariate gamma function of known orders.
Expr log_multigamma(const Expr& order, const Expr& x) {
  constexpr double kQuarterLogPi = 0.28618247146235004;
  double most = 0.0;
  for (const double k : order.values()) most = std::max(most, k);
  Expr total = kQuarterLogPi * order * (order - 1.0);
  for (double j = 0.0; j < most; j += 1.0) {
    const Expr there = graph::less(j, order);
    total =
        total + graph::select(there, graph::lgamma(graph::select(there, x - 0.5 * j, 1.0)), 0.0);
  }
  return total;
}

Value inc_beta(const BuiltinCall& c) {
  const Expr x = c.expr(2);
  const graph::Requirement probability{c.name, "argument", "in the interval [0, 1]"};
  c.machine.checks().greater_equal(x, 0.0, probability);
  c.machine.checks().less_equal(x, 1.0, probability);
  for (std::size_t k = 0; k < 2; ++k)
    c.machine.checks().greater(c.expr(k), 0.0, {c.name, "shape", "positive"});
  const Expr log_odds = graph::log(x) - graph::log1m(x);
  return like(graph::exp(graph::log_inc_beta(c.expr(0), c.expr(1), log_odds)), c[0]);
}

// ---- factorials

Expr log_falling(const Expr& x, const Expr& n) { return graph::lgamma_delta(x - n + 1.0, n); }

// x (x + step) ... with n factors, n known.
Expr power_of_steps(const Expr& x, const Expr& n, double step) {
  double most = 0.0;
  for (const double k : n.values()) most = std::max(most, k);
  Expr product = 1.0;
  for (double k = 0.0; k < most; k += 1.0) {
    const Expr factor = x + step * k;
    product = product * (n.is_scalar() ? factor : graph::select(graph::less(k, n), factor, 1.0));
  }
  return n.is_scalar() ? product : product + 0.0 * n;
}

std::int32_t narrowed(const BuiltinCall& c, double value) {
  if (std::abs(value) > 2147483647.0)
    c.machine.fail(fmt::format("{}: the result {} is too large for an integer", c.name, value));
  return static_cast<std::int32_t>(value);
}
using WholeFunction = double (*)(double, double);

// Results of a function of whole numbers, element by element.
Value of_whole(const BuiltinCall& c, WholeFunction f) {
  const bool first_is_one = c[0].is_scalar(), second_is_one = c[1].is_scalar();
  const Index n = std::max(size_of(c[0]), size_of(c[1]));
  check_sizes_fit(c);
  std::vector<std::int32_t> values;
  for (Index i = 0; i < (first_is_one && second_is_one ? 1 : n); ++i)
    values.push_back(narrowed(c, f(scalar_of(c[0], first_is_one ? 0 : i).known,
                                   scalar_of(c[1], second_is_one ? 0 : i).known)));
  if (first_is_one && second_is_one) return values[0];
  return make_ints(dims_of(first_is_one ? c[1] : c[0]), std::move(values));
}
void check_count(const BuiltinCall& c, std::size_t k, std::string_view what) {
  c.machine.checks().greater_equal(c.expr(k), 0.0, {c.name, what, "nonnegative"});
}
// Each factor comes with its divisor: the product is a whole number at every step.
double choose_whole(double n, double k) {
  if (k > n) return 0.0;
  double result = 1.0;
  constexpr double kTooLarge = 1e10;  // for a whole number; it only grows from here
  for (double j = 1.0; j <= std::min(k, n - k) && result < kTooLarge; j += 1.0)
    result = result * (n + 1.0 - j) / j;
  return result;
}
Value choose(const BuiltinCall& c) {
  check_count(c, 0, "first argument");
  check_count(c, 1, "second argument");
  return of_whole(c, choose_whole);
}
// Limit for products that are computed factor by factor.
void check_length(const BuiltinCall& c, std::size_t k, std::string_view what) {
  constexpr double kMost = 1e6;
  for (Index i = 0; i < size_of(c[k]); ++i) {
    const double length = scalar_of(c[k], i).known;
    if (length > kMost)
      c.machine.fail(fmt::format("{}: {} is {}, the limit is {}", c.name, what, length, kMost));
  }
}
template <int step>
Value factorial(const BuiltinCall& c) {
  check_count(c, 1, "number of factors");
  check_length(c, 1, "number of factors");
  const auto whole = [](double x, double n) {
    double product = 1.0;
    for (double k = 0.0; k < n; k += 1.0) product *= x + step * k;
    return product;
  };
  if (c[0].is_int() || c[0].is_ints()) return of_whole(c, whole);
  check_sizes_fit(c);
  return like(power_of_steps(c.expr(0), whole_like(c, 1, c[0]), step),
              c[0].is_scalar() ? c[1] : c[0]);
}

// The other argument's container decides where one is whole numbers.
template <Binary f>
Value with_whole(const BuiltinCall& c) {
  const bool first = !c[0].is_scalar() && !c[0].is_ints();
  const Value& pattern = first || c[1].is_scalar() ? c[0] : c[1];
  check_sizes_fit(c);
  const Expr value =
      c[1].is_ints() ? f(c.expr(0), whole_like(c, 1, c[0])) : f(whole_like(c, 0, c[1]), c.expr(1));
  return pattern.is_ints() ? from_expr(value, BaseType::real, dims_of(pattern))
                           : like(value, pattern);
}
Value lmgamma(const BuiltinCall& c) {
  check_length(c, 0, "order");
  return with_whole<log_multigamma>(c);
}
Expr binary_log_loss(const Expr& y, const Expr& p) {
  return -graph::select(graph::equal(y, 0.0), graph::log1m(p), graph::log(p));
}
Expr ldexp(const Expr& x, const Expr& n) { return x * graph::exp2(n); }

// ---- the normal distribution

Expr phi_approx(const Expr& x) {
  return graph::inv_logit(x * (0.07056 * graph::square(x) + 1.5976));
}
Expr inv_erfc(const Expr& x) {
  constexpr double kSqrtHalf = 0.70710678118654752440;
  return -kSqrtHalf * graph::inv_phi(0.5 * x);
}
Value normal_quantile(const BuiltinCall& c) {
  const graph::Requirement probability{c.name, "probability", "in the interval [0, 1]"};
  c.machine.checks().greater_equal(c.expr(0), 0.0, probability);
  c.machine.checks().less_equal(c.expr(0), 1.0, probability);
  return unary<graph::inv_phi>(c);
}
// From the quantile of exp(log_p), or what the tail is like far left, by Newton's steps on log Phi,
// which is concave: they come from the right and double the digits.
Expr log_quantile(const Expr& log_p) {
  const Expr far = graph::less(log_p, -20.0), near = graph::less(-0.5, log_p);
  const Expr left = graph::inv_phi(graph::exp(graph::select(far, -20.0, log_p)));
  const Expr right = -graph::inv_phi(-graph::expm1(graph::select(near, log_p, -1.0)));
  Expr x = graph::select(far, -graph::sqrt(-2.0 * graph::select(far, log_p, -20.0)), left);
  for (int step = 0; step < 6; ++step)
    x = x - (graph::log_phi(x) - graph::select(near, -1.0, log_p)) / graph::inverse_mills(x);
  return graph::select(near, right, x);
}
Value std_normal_log_qf(const BuiltinCall& c) {
  c.machine.checks().less_equal(c.expr(0), 0.0, {c.name, "log probability", "at most 0"});
  return unary<log_quantile>(c);
}

constexpr Builtin kSpecialRows[] = {
    {"Phi_approx", unary<phi_approx>, true},
    {"binary_log_loss", with_whole<binary_log_loss>},
    {"choose", choose},
    {"falling_factorial", factorial<-1>},
    {"gamma_p", incomplete_gamma<gamma_p>, true},
    {"gamma_q", incomplete_gamma<gamma_q>, true},
    {"inc_beta", inc_beta},
    {"inv_Phi", normal_quantile},
    {"inv_erfc", unary<inv_erfc>, true},
    {"lbeta", binary<graph::lbeta>, true},
    {"lchoose", binary<graph::lchoose>, true},
    {"ldexp", with_whole<ldexp>},
    {"lmgamma", lmgamma},
    {"log_falling_factorial", binary<log_falling>, true},
    {"log_rising_factorial", binary<graph::lgamma_delta>, true},
    {"rising_factorial", factorial<1>},
    {"std_normal_log_qf", std_normal_log_qf},
    {"std_normal_qf", normal_quantile},
    {"tgamma", tgamma_off_poles, true},
};
}  // namespace

std::span<const Builtin> builtins_special() { return kSpecialRows; }

}  // namespace credo::lang
