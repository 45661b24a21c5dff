// First passage of a Wiener process with drift v through the upper of two boundaries a apart, from
// the share w of the way, after a delay t0 [navarro2009]. With T = y - t0, t = T/a^2, w' = 1 - w:
//
//   log p = -2 log a + v a w' - v^2 T/2 + log f(t, w')
//   f(t, w) = (2 pi t^3)^(-1/2) sum_k (w + 2k) exp(-(w + 2k)^2/(2t))     for small t
//           = pi sum_k k sin(k pi w) exp(-k^2 pi^2 t/2)                  for large t
//
// A drift that is normal(v, sv^2) has, with d = 1 + sv^2 T, -log(d)/2 + (sv^2 a^2 w'^2 + 2 v a w' -
// v^2 T)/(2d) in place of the drift's terms [tuerlinckx2004]. A start uniform on w -+ sw/2 and a
// delay uniform on (t0, t0 + st0) are integrated out by fixed rules.
#include "dist/formula.hpp"

namespace credo::dist::wiener_row {
namespace {

// Below, terms of |k| > 4 of the first sum are less than 1e-17 of it; above, those of k > 6 of the
// second.
constexpr double kSmallTime = 0.35;
constexpr int kSmallTerms = 4, kLargeTerms = 6;

Expr log_small(const Expr& t, const Expr& w) {
  Expr total = w;
  for (int k = 1; k <= kSmallTerms; ++k) {
    for (const double j : {2.0 * k, -2.0 * k})
      total = total + (w + j) * exp(-(j * (j + 2.0 * w)) / (2.0 * t));
  }
  return -1.5 * log(t) - kHalfLog2Pi - square(w) / (2.0 * t) + log(total);
}
Expr log_large(const Expr& t, const Expr& w) {
  Expr total = 0.0;
  for (int k = 1; k <= kLargeTerms; ++k) {
    const double order = k;
    total =
        total + order * sin(order * kPi * w) * exp(-(0.5 * kPi * kPi * (order * order - 1.0)) * t);
  }
  return kLogPi - (0.5 * kPi * kPi) * t + log(total);
}
Expr log_standard(const Expr& t, const Expr& w) {
  const Expr is_small = less(t, kSmallTime);
  return select(is_small, log_small(select(is_small, t, 0.5 * kSmallTime), w),
                log_large(select(is_small, 1.0, t), w));
}

struct Diffusion {
  Expr separation, start, drift, drift_sd;  // drift_sd: empty where the drift is fixed
};
Expr log_passage(const Expr& time, const Diffusion& d) {
  const Expr far = 1.0 - d.start, way = d.separation * far;
  const Expr standard = log_standard(time / square(d.separation), far) - 2.0 * log(d.separation);
  if (d.drift_sd.empty()) return standard + d.drift * way - 0.5 * square(d.drift) * time;
  const Expr wider = 1.0 + square(d.drift_sd) * time;
  const Expr exponent = square(d.drift_sd * way) + 2.0 * (d.drift * way) - square(d.drift) * time;
  return standard - 0.5 * log(wider) + exponent / (2.0 * wider);
}

// ---- integrals over start and delay

struct Rule {
  std::vector<double> places, weights;  // on (0, 1)
};
// Trapezoids in t with x = (1 + tanh(pi/2 sinh t))/2 [takahasi1974]: density near the end where the
// passage takes no time, and as good elsewhere.
const Rule& unit_rule() {
  static const Rule rule = [] {
    constexpr double kStep = 0.125, kReach = 3.25;
    Rule made;
    for (double t = -kReach; t <= kReach; t += kStep) {
      const double s = 0.5 * kPi * std::sinh(t), cosh_s = std::cosh(s);
      made.places.push_back(1.0 / (1.0 + std::exp(-2.0 * s)));
      made.weights.push_back(kStep * 0.25 * kPi * std::cosh(t) / (cosh_s * cosh_s));
    }
    return made;
  }();
  return rule;
}

bool is_none(const Expr& width) {
  return width.is_constant() && width.is_scalar() && width.value() == 0.0;
}

// One outcome: log of the mean density over the grid of starts and delays.
Expr log_mixed(const Expr& time, Diffusion d, const Expr& start_width, const Expr& delay_width) {
  const Rule& rule = unit_rule();
  const bool vary_start = !is_none(start_width), vary_delay = !is_none(delay_width);
  std::vector<double> starts, delays, weights;
  for (std::size_t i = 0; i < (vary_start ? rule.places.size() : 1); ++i) {
    for (std::size_t j = 0; j < (vary_delay ? rule.places.size() : 1); ++j) {
      starts.push_back(rule.places[i] - 0.5);
      delays.push_back(rule.places[j]);
      weights.push_back(
          std::log((vary_start ? rule.weights[i] : 1.0) * (vary_delay ? rule.weights[j] : 1.0)));
    }
  }
  const auto shape = graph::vector_shape(std::ssize(weights));
  Expr passed = broadcast(shape, time), share = 0.0;
  if (vary_start) d.start = d.start + start_width * graph::constant(shape, starts);
  if (vary_delay) {
    const Expr reached = fmin(delay_width, time);  // delays beyond the outcome add nothing
    passed = time - reached * graph::constant(shape, delays);
    share = log(reached) - log(delay_width);
  }
  return share + log_sum_exp(log_passage(passed, d) + graph::constant(shape, weights));
}

// ---- arguments: separation, delay, start, drift [, drift's sd [, width of the start, of the
// delay]] [, precision, which is not needed]

Expr element(const Expr& x, Index k) { return x.is_scalar() ? x : x.element(k); }

Terms log_density(const Expr& y, Args args) {
  const bool mixed = args.size() >= 7;
  const auto at = [&](Index k) {
    const auto arg = [&](std::size_t j) { return element(args[j], k); };
    const Diffusion d{arg(0), arg(2), arg(3), arg(4)};
    return log_mixed(element(y, k) - arg(1), d, arg(5), arg(6));
  };
  if (!mixed) {
    const Expr sd = args.size() > 4 && !is_none(args[4]) ? args[4] : Expr();
    return {log_passage(y - args[1], {args[0], args[2], args[3], sd})};
  }
  Index size = y.size();
  for (const Expr& argument : args) size = std::max(size, argument.size());
  if (size == 1) return {at(0)};
  std::vector<Expr> each;
  for (Index k = 0; k < size; ++k) each.push_back(at(k));
  return {pack(graph::vector_shape(size), each)};
}

void check(const Expr& y, Args args, std::string_view function, Checks& checks) {
  const graph::Requirement inside{function, "relative start", "between 0 and 1"};
  Expr nearest = fmin(args[2], 1.0 - args[2]);
  if (args.size() >= 7) {
    nearest = nearest - 0.5 * args[5];
    checks.less(args[5], 1.0, {function, "width of the start", "less than 1"});
  }
  checks.greater(nearest, 0.0, inside);
  if (y.empty()) return;
  checks.greater(y - args[1], 0.0, {function, "outcome less the non-decision time", "positive"});
}
}  // namespace

extern const Distribution wiener{
    .name = "wiener",
    .only_density = true,
    .args = {{"boundary separation", Domain::positive_finite},
             {"non-decision time", Domain::nonnegative_finite},
             {"relative start", Domain::finite},
             {"drift", Domain::finite},
             {"standard deviation of the drift", Domain::nonnegative_finite},
             {"width of the start", Domain::nonnegative_finite},
             {"width of the non-decision time", Domain::nonnegative_finite},
             {"precision", Domain::nonnegative_finite}},
    .outcome = {"first passage time", Domain::positive_finite},
    .lower = kSmallest,
    .reference = "navarro2009",
    .log_density = log_density,
    .check = check};

}  // namespace credo::dist::wiener_row
