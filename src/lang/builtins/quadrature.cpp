// One-dimensional integrals by double exponential rules [takahasi1974]: with x = phi(t) the
// integral of f is that of f(phi(t)) phi'(t) over the whole line, where the trapezoidal rule
// converges exponentially, also with singularities at the limits.
//
//   finite         x = (a + b)/2 + (b - a)/2 tanh(pi/2 sinh t)
//   half-infinite  x = a + exp(pi/2 sinh t), or b - ...
//   infinite       x = sinh(pi/2 sinh t)
//
// The step is halved until two sums agree to the tolerance, relative to the integral of |f|; each
// decision is one on parameters like any other, so a traced program holds the nodes of its points
// and the derivatives by limits and arguments are those of the sum. If sums agree to e, the
// error of the finer one is about e^2.
#include <fmt/format.h>

#include "lang/trace/callable.hpp"

namespace credo::lang {
namespace {
constexpr double kHalfPi = 1.57079632679489661923;
constexpr double kFirstStep = 0.25;    // compared with twice that
constexpr double kInner = 3.0;         // |t| that every sum reaches
constexpr double kOuter = 6.0;         // where exp(-pi sinh t) nears the smallest double
constexpr double kNearEnd = 1e-10;     // weights of nodes that may round to a limit
constexpr double kNegligible = 1e-18;  // a term, of the integral of |f|
constexpr double kDefaultQuadratureTolerance =
    1.4901161193847656e-08;  // the language's: sqrt of 2^-52

enum class Range { finite, above, below, whole };

struct Rule {
  Range range;
  Expr a, b, scale;  // scale: factor of the weights
};

struct Node {
  Expr x, to_end;  // x less the nearer limit is -to_end; NaN where a limit is infinite
  double weight;
};

Node node_at(const Rule& rule, double t) {
  const double s = kHalfPi * std::sinh(t), slope = kHalfPi * std::cosh(t);
  if (rule.range == Range::whole) return {std::sinh(s), kNaN, std::cosh(s) * slope};
  if (rule.range != Range::finite) {
    const double e = std::exp(s);
    return {rule.range == Range::above ? rule.a + e : rule.b - e, kNaN, e * slope};
  }
  const double rest = 2.0 / (1.0 + std::exp(2.0 * std::abs(s)));  // 1 - tanh|s|
  const Expr distance = rule.scale * rest;
  const double weight = rest * (2.0 - rest) * slope;
  if (t < 0.0) return {rule.a + distance, -distance, weight};
  return {rule.b - distance, distance, weight};
}

class Integral {
 public:
  Integral(const BuiltinCall& call, std::size_t first_argument, Rule rule)
      : c_(call), f_(call, 0), rest_(call, first_argument), rule_(std::move(rule)) {
    const bool limits = has_autodiff(call, 1) || has_autodiff(call, 2);
    autodiff_ = rest_.autodiff_after(2, limits ? 3u : 0u);
  }

  Expr value(double relative, double absolute, int refinements) {
    for (double t = -kInner; t <= kInner; t += 2.0 * kFirstStep) add(t);
    left_ = reach(-1.0);
    right_ = reach(1.0);
    Expr coarse = sum(2.0 * kFirstStep);
    double step = kFirstStep;
    for (int level = 0; level <= refinements; ++level, step *= 0.5) {
      for (double t = -left_ + step; t < right_; t += 2.0 * step) add(t);
      const Expr fine = sum(step), size = step * magnitude();
      const Expr difference = graph::abs(fine - coarse);
      require_finite(size);
      if (c_.machine.decide(graph::less_equal(difference, graph::fmax(relative * size, absolute))))
        return fine;
      coarse = fine;
      error_ = difference;
    }
    refuse(relative);
  }

 private:
  // Adds a term; returns true if it is negligible beside the others.
  void add(double t) {
    const Node node = node_at(rule_, t);
    const Value value =
        f_(rest_.after({Value(Scalar(node.x)), Value(Scalar(node.to_end))}), autodiff_);
    const Expr y = c_.machine.expr(value);
    if (is_lost_to_rounding(node, y)) return;
    values_.push_back(y);
    weights_.push_back(node.weight);
  }

  // x has become the limit itself, where the function may have a pole; it may be one that takes the
  // distance and hasn't.
  bool is_lost_to_rounding(const Node& node, const Expr& y) {
    if (rule_.range == Range::whole || node.weight > kNearEnd) return false;
    const Expr& end = rule_.range == Range::below ? rule_.b : rule_.a;
    const Expr& other = rule_.range == Range::finite ? rule_.b : end;
    const bool at_end =
        c_.machine.decide(graph::fmax(graph::equal(node.x, end), graph::equal(node.x, other)));
    return at_end && !c_.machine.decide(graph::less(graph::abs(y), kInfinity));
  }

  // Goes outwards until a term is negligible.
  double reach(double side) {
    double t = kInner;
    while (t < kOuter) {
      t += 2.0 * kFirstStep;
      const std::size_t before = values_.size();
      add(side * t);
      if (values_.size() == before) break;
      const Expr last = graph::abs(values_.back()) * weights_.back();
      if (c_.machine.decide(graph::less_equal(last, kNegligible * magnitude()))) break;
    }
    return t;
  }

  Expr packed() const { return graph::pack(graph::vector_shape(ssize(values_)), values_); }
  Expr weights() const { return graph::constant(graph::vector_shape(ssize(weights_)), weights_); }
  Expr magnitude() const { return rule_.scale * graph::dot(weights(), graph::abs(packed())); }
  Expr sum(double step) const { return step * (rule_.scale * graph::dot(weights(), packed())); }

  void require_finite(const Expr& size) {
    c_.machine.checks().finite(size, {c_.name, "integral of the absolute value", "finite"});
  }
  [[noreturn]] void refuse(double relative) {
    const double shown = error_.is_constant() ? error_.value() : kNaN;
    c_.machine.reject(c_.name, "error estimate", shown,
                      fmt::format("at most {} of the integral of the absolute value", relative));
  }

  const BuiltinCall& c_;
  Callable f_;
  Trailing rest_;
  Rule rule_;
  std::uint64_t autodiff_ = 0;
  std::vector<Expr> values_;
  std::vector<double> weights_;
  double left_ = kInner, right_ = kInner;
  Expr error_;
};

bool is_infinite(const BuiltinCall& c, const Expr& limit) {
  return c.machine.decide(graph::equal(graph::abs(limit), kInfinity));
}

Rule rule_of(const BuiltinCall& c) {
  const Expr a = c.expr(1), b = c.expr(2);
  c.machine.checks().less_equal(a, b, {c.name, "lower limit", "at most the upper limit"});
  const bool from_infinity = is_infinite(c, a), to_infinity = is_infinite(c, b);
  if (from_infinity && to_infinity) return {Range::whole, a, b, 1.0};
  if (to_infinity) return {Range::above, a, b, 1.0};
  if (from_infinity) return {Range::below, a, b, 1.0};
  return {Range::finite, a, b, 0.5 * (b - a)};
}

struct Accuracy {
  double relative = kDefaultQuadratureTolerance, absolute = 0.0;
  int refinements = 9;
};

Value integral(const BuiltinCall& c, std::size_t first_argument, const Accuracy& accuracy) {
  const Rule rule = rule_of(c);
  const bool is_empty =
      rule.range == Range::finite && c.machine.decide(graph::equal(rule.a, rule.b));
  if (is_empty) return Scalar(0.0);
  return Scalar(Integral(c, first_argument, rule)
                    .value(accuracy.relative, accuracy.absolute, accuracy.refinements));
}

// integrate_1d(f, a, b, theta, x_r, x_i [, relative_tolerance])
Value integrate_1d(const BuiltinCall& c) {
  Accuracy accuracy;
  if (c.size() == 7) accuracy.relative = c[6].real().known;
  BuiltinCall fixed{c.machine, c.call, c.name, c.arguments.first(6)};
  return integral(fixed, 3, accuracy);
}

// ...(f, a, b, arguments of f ...)
Value with_arguments(const BuiltinCall& c) { return integral(c, 3, {}); }

// ...(f, a, b, relative, absolute, most refinements, arguments of f ...)
Value with_tolerances(const BuiltinCall& c) {
  const auto tolerance = [&](std::size_t k, std::string_view name) {
    const double value = c[k].real().known;
    if (!(value >= 0.0)) c.machine.reject(c.name, name, value, "nonnegative");
    return value;
  };
  Accuracy accuracy{tolerance(3, "relative tolerance"), tolerance(4, "absolute tolerance"),
                    c[5].integer()};
  if (accuracy.refinements < 0)
    c.machine.reject(c.name, "number of refinements", accuracy.refinements, "nonnegative");
  accuracy.refinements = std::min(accuracy.refinements, 9);
  return integral(c, 6, accuracy);
}

// Both families are these rules: only the tolerance is guaranteed.
constexpr Builtin kQuadratureRows[] = {
    {"integrate_1d", integrate_1d},
    {"integrate_1d_double_exponential", with_arguments},
    {"integrate_1d_double_exponential_tol", with_tolerances},
    {"integrate_1d_gauss_kronrod", with_arguments},
    {"integrate_1d_gauss_kronrod_tol", with_tolerances},
};
}  // namespace

std::span<const Builtin> builtins_quadrature() { return kQuadratureRows; }

}  // namespace credo::lang
