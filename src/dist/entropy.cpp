// For shapes from 8 on the logarithms of Gamma functions are taken by Stirling's formula, whose
// large parts cancel by hand: with s(x) = lgamma(x) - (x - 1/2) log x + x - log(2 pi)/2 and
// d(x) = digamma(x) - log x, gamma(a) has entropy log(2 pi a)/2 + s(a) + (1 - a) d(a).
#include "dist/entropy.hpp"

#include "dist/formula.hpp"
#include "graph/core/special.hpp"
#include "numerics/incomplete_quadrature.hpp"

namespace credo::dist {
namespace nm = numerics;
namespace {
constexpr double kStirlingFrom = 8.0;
using Numbers = std::vector<double>;
}  // namespace

double x_log_x(double x) { return x == 0.0 ? 0.0 : x * nm::log(x); }
double x_log1p(double x, double u) { return x == 0.0 ? 0.0 : x * nm::log1p(u); }

double gamma_entropy(double a) {
  if (a < kStirlingFrom) return a + nm::lgamma(a) + (1.0 - a) * nm::digamma(a);
  return kHalfLog2Pi + 0.5 * nm::log(a) + nm::lgamma_stirling(a) +
         (1.0 - a) * nm::digamma_less_log(a);
}

// The logarithm of 1/G has the entropy of that of G: h(1/G) = h(G) - 2 E log G.
double inv_gamma_entropy(double a) {
  if (a < kStirlingFrom) return a + nm::lgamma(a) - (1.0 + a) * nm::digamma(a);
  return kHalfLog2Pi - 1.5 * nm::log(a) + nm::lgamma_stirling(a) -
         (1.0 + a) * nm::digamma_less_log(a);
}

double beta_entropy(double a, double b) {
  const double n = a + b;
  if (std::min(a, b) < kStirlingFrom) {
    return nm::lbeta(a, b) + (a - 1.0) * nm::digamma_delta(a, b) +
           (b - 1.0) * nm::digamma_delta(b, a);
  }
  const double d = nm::digamma_less_log(n);
  return kHalfLog2Pi + 0.5 * (nm::log(a / n) + nm::log(b / n) - nm::log(n)) +
         nm::lgamma_stirling(a) + nm::lgamma_stirling(b) - nm::lgamma_stirling(n) +
         (a - 1.0) * (d - nm::digamma_less_log(a)) + (b - 1.0) * (d - nm::digamma_less_log(b));
}

namespace {
// Log densities at many points inside the support.
class LogDensities {
 public:
  LogDensities(const Distribution& d, Params params) : d_(d), args_(params.begin(), params.end()) {}
  Numbers at(const Numbers& x) const {
    const auto shape = graph::vector_shape(ssize(x));
    Expr total = graph::fill(shape, 0.0);
    for (const Expr& term : d_.log_density(graph::constant(shape, x), args_)) total = total + term;
    const auto values = total.values();
    return {values.begin(), values.end()};
  }
  // sum of -w p log p
  double information(const Numbers& x, const Numbers& weights) const {
    const Numbers logs = at(x);
    double total = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i)
      total -= logs[i] > -kInfinity ? weights[i] * nm::exp(logs[i]) * logs[i] : 0.0;
    return total;
  }
  Support support() const {
    return d_.support == nullptr ? Support{d_.lower, d_.upper} : d_.support(args_);
  }

 private:
  const Distribution& d_;
  std::vector<Expr> args_;
};

double gauss_panel(const LogDensities& f, double from, double to) {
  const double half = 0.5 * (to - from), centre = 0.5 * (from + to);
  Numbers x, weights;
  for (const nm::RuleNode& node : nm::kGaussRule) {
    for (const double side : {-node.abscissa, node.abscissa}) {
      x.push_back(centre + half * side);
      weights.push_back(half * node.weight);
    }
  }
  return f.information(x, weights);
}

double refined(const LogDensities& f, double from, double to, double whole, int depth) {
  constexpr double kTolerance = 1e-14;
  constexpr int kDeepest = 8;  // from panels that double, enough for any scale; rounding ends there
  const double middle = 0.5 * (from + to);
  const double left = gauss_panel(f, from, middle), right = gauss_panel(f, middle, to);
  if (depth >= kDeepest || std::abs(left + right - whole) <= kTolerance * (1.0 + std::abs(whole)))
    return left + right;
  return refined(f, from, middle, left, depth + 1) + refined(f, middle, to, right, depth + 1);
}

double integral(const LogDensities& f, double from, double to) {
  return refined(f, from, to, gauss_panel(f, from, to), 0);
}

// ---- sums over whole numbers; the masses are smooth functions of real numbers

constexpr double kDirect = 4096.0;  // terms summed singly at each end and about the median

double one_by_one(const LogDensities& f, double first, double last) {
  Numbers k(static_cast<std::size_t>(last - first) + 1);
  std::iota(k.begin(), k.end(), first);
  return f.information(k, Numbers(k.size(), 1.0));
}

// The slope at k - 1/2.
double slope_before(const LogDensities& f, double k) {
  return f.information({k - 1.0, k}, {-1.0, 1.0});
}

// first ... last by the formula of Euler and Maclaurin at midpoints [dlmf, 2.10(i)]: its next term
// is 7/5760 of the third derivative, below 1e-13 where the summand has scales of 1000.
double between(const LogDensities& f, double first, double last) {
  const double from = first - 0.5, to = last + 0.5, middle = 0.5 * (from + to);
  double total = -(slope_before(f, last + 1.0) - slope_before(f, first)) / 24.0;
  double left = from, right = to;
  for (double width = kDirect; left < middle; width *= 2.0) {
    const double next_left = std::min(middle, left + width),
                 next_right = std::max(middle, right - width);
    total += integral(f, left, next_left) + integral(f, next_right, right);
    left = next_left;
    right = next_right;
  }
  return total;
}

// The rest beyond x where p falls off as c k^-s: x p (-log p + s/(s - 1))/(s - 1).
double power_law(const LogDensities& f, double x) {
  const Numbers logs = f.at({x, 2.0 * x});
  const double s = (logs[0] - logs[1]) / kLog2;
  return x * nm::exp(logs[0]) * (s / (s - 1.0) - logs[0]) / (s - 1.0);
}

double beyond(const LogDensities& f, double first) {
  constexpr double kNegligible = 1e-18;
  double total = slope_before(f, first) / 24.0, x = first - 0.5, width = kDirect;
  for (const double end = std::max(1e7, 4096.0 * first); x < end; width *= 2.0) {
    const double panel = integral(f, x, x + width);
    total += panel;
    x += width;
    if (panel < kNegligible * (1.0 + total) && x > 4.0 * first) return total;
  }
  return total + power_law(f, x);
}
}  // namespace

double summed_entropy(const Distribution& d, Params args) {
  const LogDensities f(d, args);
  const Support support = f.support();
  const double lower = support.lower.value(), upper = support.upper.value();
  const double median = quantile(d, 0.5, args);
  const std::array<std::pair<double, double>, 3> direct{
      {{lower, lower + kDirect}, {median - kDirect, median + kDirect}, {upper - kDirect, upper}}};
  double total = 0.0, next = lower;  // all below `next` are summed
  for (const auto& [from, to] : direct) {
    if (to < next || from == kInfinity) continue;
    if (from > next) total += between(f, next, from - 1.0);
    const double first = std::max(from, next), last = std::min(to, upper);
    if (last >= first) total += one_by_one(f, first, last);
    next = std::max(next, last + 1.0);
  }
  return upper == kInfinity ? total + beyond(f, next) : total;
}

double integrated_entropy(const Distribution& d, Params args) {
  const LogDensities f(d, args);
  double total = 0.0, from = quantile(d, Tail::log_cdf, -60.0, args);
  for (const double log_p : {-35.0, -15.0, -5.0, -2.0, -kLog2}) {
    const double to = quantile(d, Tail::log_cdf, log_p, args);
    total += integral(f, from, to);
    from = to;
  }
  for (const double log_q : {-2.0, -5.0, -15.0, -35.0, -60.0}) {
    const double to = quantile(d, Tail::log_ccdf, log_q, args);
    total += integral(f, from, to);
    from = to;
  }
  return total;
}

double expectation(const Distribution& d, Params args,
                   const std::function<Expr(const Expr& k)>& g) {
  const LogDensities f(d, args);
  const Support support = f.support();
  const double lower = support.lower.value();
  Numbers k(static_cast<std::size_t>(support.upper.value() - lower) + 1);
  std::iota(k.begin(), k.end(), lower);
  const Numbers logs = f.at(k);
  const Expr values = g(graph::constant(graph::vector_shape(ssize(k)), k));
  double total = 0.0;
  for (std::size_t i = 0; i < k.size(); ++i)
    total += nm::exp(logs[i]) * values.value(static_cast<Index>(i));
  return total;
}

}  // namespace credo::dist
