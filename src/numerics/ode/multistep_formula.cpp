#include "numerics/ode/multistep_formula.hpp"

namespace credo::numerics {
namespace {
using Polynomial = MultistepFormula::Polynomial;

// p(x) (a + b x); the leading coefficient must have room.
Polynomial times_linear(const Polynomial& p, double a, double b) {
  Polynomial result{};
  for (std::size_t k = 0; k < p.size(); ++k) result[k] = a * p[k] + (k > 0 ? b * p[k - 1] : 0.0);
  return result;
}

// Integral of p from `from` to x.
Polynomial integral(const Polynomial& p, double from) {
  Polynomial result{};
  for (std::size_t k = 1; k < p.size(); ++k) result[k] = p[k - 1] / double(k);
  double at_start = 0.0;
  for (std::size_t k = p.size(); k-- > 0;) at_start = at_start * from + result[k];
  result[0] -= at_start;
  return result;
}

// x (x + 1) ... (x + count - 1)
Polynomial rising(int count) {
  Polynomial result{1.0};
  for (int j = 0; j < count; ++j) result = times_linear(result, j, 1.0);
  return result;
}

// Backward differences of y: pi changes by e (1 + x) (1 + x/2) ... (1 + x/q), which is 0 at the
// points behind t_n, and the difference of order q + 1 is e. The error of a step is 1 / ((q + 1)
// l_1) of it; without l_1 there is room for the error of interpolation to other step lengths.
void set_bdf(MultistepFormula& f, int q) {
  const auto at = static_cast<std::size_t>(q);
  f.l[at] = {1.0};
  for (int j = 1; j <= q; ++j) f.l[at] = times_linear(f.l[at], 1.0, 1.0 / j);
  f.high[at] = 1.0;
  f.error[at] = 1.0 / (q + 1);
  f.growth[at] = rising(q);
}

// Slopes: pi' changes by a polynomial that is 0 at the points behind t_n. The error constant is
// the integral of x (x + 1) ... (x + q - 1) / q! over the step.
void set_adams(MultistepFormula& f, int q) {
  const auto at = static_cast<std::size_t>(q);
  Polynomial slope{1.0};
  for (int j = 1; j < q; ++j) slope = times_linear(slope, 1.0, 1.0 / j);
  f.l[at] = integral(slope, -1.0);
  const double whole = f.l[at][0];
  for (double& c : f.l[at]) c /= whole;
  f.high[at] = f.l[at][1];
  f.error[at] = std::abs(integral(rising(q), -1.0)[0]) / f.factorial[at];
  f.growth[at] = integral(rising(q - 1), 0.0);
  for (double& c : f.growth[at]) c *= q;
}
}  // namespace

MultistepFormula::MultistepFormula(MultistepMethod method)
    : max_order(method == MultistepMethod::bdf ? 5 : kMost) {
  factorial[0] = 1.0;
  for (std::size_t k = 1; k < factorial.size(); ++k) factorial[k] = factorial[k - 1] * double(k);
  for (int q = 1; q <= max_order; ++q)
    method == MultistepMethod::bdf ? set_bdf(*this, q) : set_adams(*this, q);
}

}  // namespace credo::numerics
