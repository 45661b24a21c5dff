// Functions that apply element by element to scalars, containers and arrays of any depth.
#include "lang/builtins/rows.hpp"

#include <fmt/format.h>

#include "graph/core/special.hpp"

namespace credo::lang {

void check_sizes_fit(const BuiltinCall& c) {
  if (c[0].is_scalar() || c[1].is_scalar() || size_of(c[0]) == size_of(c[1])) return;
  c.machine.fail_sizes(fmt::format("{}: sizes {} and {} don't fit", c.name,
                                   to_string(dims_of(c[0])), to_string(dims_of(c[1]))));
}

Expr whole_like(const BuiltinCall& c, std::size_t k, const Value& pattern) {
  const Expr whole = c.expr(k);
  if (whole.is_scalar() || pattern.is_scalar()) return whole;
  const graph::Shape shape = c.machine.expr(pattern).shape();
  if (base_of(pattern) != BaseType::matrix) return whole.reshaped(shape);
  const Index rows = dims_of(pattern).back(1), cols = dims_of(pattern).back();
  std::vector<std::int32_t> index;
  for (Index at = 0; at < whole.size(); ++at) {
    const Index matrix = at / (rows * cols), place = at % (rows * cols);
    const Index i = place % rows, j = place / rows;
    index.push_back(static_cast<std::int32_t>(matrix * rows * cols + i * cols + j));
  }
  return graph::gather(shape, whole, std::move(index));
}

namespace {

Expr logit(const Expr& x) { return graph::log(x) - graph::log1m(x); }
Expr inv_square(const Expr& x) {
  return graph::pow(x, -2.0);
}  // keeps its derivative at 0 and infinity
Expr inv_cloglog(const Expr& x) { return -graph::expm1(-graph::exp(x)); }
Expr log1m_inv_logit(const Expr& x) { return graph::log_inv_logit(-x); }
Expr fdim(const Expr& a, const Expr& b) { return graph::select(graph::less(b, a), a - b, 0.0); }
Expr step(const Expr& x) { return 1.0 - graph::less(x, 0.0); }

// log(inv_logit(a) - inv_logit(b)) = a + log1m_exp(b - a) - log1p_exp(a) - log1p_exp(b)
Expr log_inv_logit_diff(const Expr& a, const Expr& b) {
  return graph::log_inv_logit(a) + graph::log_inv_logit(-b) + graph::log1m_exp(b - a);
}

// Functions whose domain is part of the language: outside of it the evaluation is refused.
enum class Edge { at_least, at_most, within, not_nan };
template <Unary f, Edge edge, int bound>
Value unary_on(const BuiltinCall& c) {
  constexpr std::string_view kRule =
      edge == Edge::at_least  ? "in the function's domain (at least its lower end)"
      : edge == Edge::at_most ? "in the function's domain (at most its upper end)"
      : edge == Edge::within  ? "in the interval [-1, 1]"
                              : "not nan";
  const graph::Requirement requirement{c.name, "argument", kRule};
  const Expr x = c.expr(0);
  constexpr double kBound = bound;  // fmin and fmax let a NaN pass: it goes through these functions
  if constexpr (edge == Edge::at_least)
    c.machine.checks().greater_equal(graph::fmin(x, kBound), kBound, requirement);
  if constexpr (edge == Edge::at_most)
    c.machine.checks().less_equal(graph::fmax(x, kBound), kBound, requirement);
  if constexpr (edge == Edge::within)
    c.machine.checks().less_equal(graph::fmax(graph::abs(x), kBound), kBound, requirement);
  if constexpr (edge == Edge::not_nan) c.machine.checks().not_nan(x, requirement);
  return like(f(x), c[0]);
}

// The absolute value; throws for the smallest int, whose absolute value doesn't fit in 32 bits.
std::int32_t positive(const BuiltinCall& c, std::int32_t n) {
  return c.machine.int_result(c.name, std::abs(std::int64_t{n}));
}

Value absolute_whole(const BuiltinCall& c) {
  const Whole& w = c[0].whole();
  const std::int64_t below = -std::int64_t{w.least}, above = w.most;
  if (below > Whole::kMost) return positive(c, c.machine.integer(c[0]));  // it might overflow
  return c.machine.whole_number(graph::abs(c.expr(0)), std::max({-below, -above, std::int64_t{0}}),
                                std::max(below, above));
}

Value absolute(const BuiltinCall& c) {
  if (c[0].is_int()) return positive(c, c[0].integer());
  if (c[0].is_whole()) return absolute_whole(c);
  if (!c[0].is_ints()) return unary<graph::abs>(c);
  const Value known = c.machine.closed(c[0]);
  std::vector<std::int32_t> values;
  for (const std::int32_t v : known.ints()->values) values.push_back(positive(c, v));
  return make_ints(known.ints()->dims, std::move(values));
}

Value fused_multiply_add(const BuiltinCall& c) {
  const Value& pattern = !c[0].is_scalar() ? c[0] : !c[1].is_scalar() ? c[1] : c[2];
  return like(c.expr(0) * c.expr(1) + c.expr(2), pattern);
}

Value int_step(const BuiltinCall& c) {
  const Scalar x = scalar_of(c[0]);
  if (x.is_known()) return x.known > 0.0 ? 1 : 0;
  return c.machine.decide(graph::less(0.0, c.expr(0))) ? 1 : 0;
}
Value is_nan(const BuiltinCall& c) {
  const Scalar x = scalar_of(c[0]);
  if (x.is_known()) return std::isnan(x.known) ? 1 : 0;
  return c.machine.decide(1.0 - graph::equal(c.expr(0), c.expr(0))) ? 1 : 0;
}
Value is_inf(const BuiltinCall& c) {
  const Scalar x = scalar_of(c[0]);
  if (x.is_known()) return std::isinf(x.known) ? 1 : 0;
  return c.machine.decide(graph::equal(graph::abs(c.expr(0)), kInfinity)) ? 1 : 0;
}

// log(theta exp(a) + (1 - theta) exp(b)), shifted by the density that dominates. Through log(theta)
// the derivative at theta = 0 and 1 would be 0 times infinity.
Expr log_mix_of_two(const Expr& theta, const Expr& a, const Expr& b) {
  constexpr double kLargest =
      700.0;  // exp stays finite; the factor is then below exp(-700) times the whole
  const Expr first = graph::less(graph::log1m(theta) + b, graph::log(theta) + a);
  const Expr m = graph::select(first, a, b);
  const Expr mixture = theta * graph::exp(graph::fmin(a - m, kLargest)) +
                       (1.0 - theta) * graph::exp(graph::fmin(b - m, kLargest));
  return m + graph::log(mixture);
}

// log_mix(theta, a, b); the container form weighs every element.
Value log_mix(const BuiltinCall& c) {
  constexpr std::string_view kRule = "in the interval [0, 1]";
  const graph::Requirement probability{"log_mix", "mixing proportion", kRule};
  const Expr theta = c.expr(0);
  c.machine.checks().greater_equal(theta, 0.0, probability);
  c.machine.checks().less_equal(theta, 1.0, probability);
  if (c.size() == 3) {  // mixture of scalars, or of columns of scalars
    const auto container = std::find_if(c.arguments.begin(), c.arguments.end(),
                                        [](const Value& v) { return !v.is_scalar(); });
    return like(log_mix_of_two(theta, c.expr(1), c.expr(2)),
                container == c.arguments.end() ? c[0] : *container);
  }
  const Expr density = c.expr(1);
  const Index count = theta.size(), rounds = count == 0 ? 0 : density.size() / count;
  Expr total = 0.0;
  for (Index r = 0; r < rounds; ++r) {
    const Expr part = rounds == 1 ? density : graph::slice(theta.shape(), density, r * count);
    total = total + graph::log_sum_exp(graph::log(theta) + part);
  }
  return Scalar(total);
}

Value log_sum_exp(const BuiltinCall& c) {
  return c.size() == 2 ? binary<graph::log_sum_exp>(c)
                       : Value(Scalar(graph::log_sum_exp(c.expr(0))));
}

Value constant(const BuiltinCall&, double value) { return Scalar(value); }
Value log2_or_constant(const BuiltinCall& c) {
  return c.size() == 0 ? constant(c, 0.69314718055994530942) : unary<graph::log2>(c);
}
Value log10_or_constant(const BuiltinCall& c) {
  return c.size() == 0 ? constant(c, 2.30258509299404568402) : unary<graph::log10>(c);
}

constexpr Builtin kElementwiseRows[] = {
    {"Phi", unary_on<graph::phi, Edge::not_nan, 0>, true},
    {"abs", absolute, true},
    {"acos", unary<graph::acos>, true},
    {"acosh", unary_on<graph::acosh, Edge::at_least, 1>, true},
    {"asin", unary<graph::asin>, true},
    {"asinh", unary<graph::asinh>, true},
    {"atan", unary<graph::atan>, true},
    {"atan2", binary<graph::atan2>, true},
    {"atanh", unary_on<graph::atanh, Edge::within, 1>, true},
    {"cbrt", unary<graph::cbrt>, true},
    {"ceil", unary<graph::ceil>, true},
    {"cos", unary<graph::cos>, true},
    {"cosh", unary<graph::cosh>, true},
    {"digamma", unary<graph::digamma>, true},
    {"e", [](const BuiltinCall& c) { return constant(c, 2.71828182845904523536); }},
    {"erf", unary<graph::erf>, true},
    {"erfc", unary<graph::erfc>, true},
    {"exp", unary<graph::exp>, true},
    {"exp2", unary<graph::exp2>, true},
    {"expm1", unary<graph::expm1>, true},
    {"fdim", binary<fdim>, true},
    {"floor", unary<graph::floor>, true},
    {"fma", fused_multiply_add, true},
    {"fmax", binary<graph::fmax>, true},
    {"fmin", binary<graph::fmin>, true},
    {"hypot", binary<graph::hypot>, true},
    {"int_step", int_step},
    {"inv", unary<graph::inv>, true},
    {"inv_cloglog", unary<inv_cloglog>, true},
    {"inv_logit", unary<graph::inv_logit>, true},
    {"inv_sqrt", unary<graph::inv_sqrt>, true},
    {"inv_square", unary<inv_square>, true},
    {"is_inf", is_inf},
    {"is_nan", is_nan},
    {"lgamma", unary<graph::lgamma>, true},
    {"lmultiply", binary<graph::multiply_log>, true},
    {"log", unary<graph::log>, true},
    {"log10", log10_or_constant, true},
    {"log1m", unary_on<graph::log1m, Edge::at_most, 1>, true},
    {"log1m_exp", unary<graph::log1m_exp>, true},
    {"log1m_inv_logit", unary<log1m_inv_logit>, true},
    {"log1p", unary_on<graph::log1p, Edge::at_least, -1>, true},
    {"log1p_exp", unary<graph::log1p_exp>, true},
    {"log2", log2_or_constant, true},
    {"log_diff_exp", binary<graph::log_diff_exp>, true},
    {"log_inv_logit", unary<graph::log_inv_logit>, true},
    {"log_inv_logit_diff", binary<log_inv_logit_diff>, true},
    {"log_mix", log_mix},
    {"log_sum_exp", log_sum_exp, true},
    {"logit", unary<logit>, true},
    {"machine_precision", [](const BuiltinCall& c) { return constant(c, 2.220446049250313e-16); }},
    {"negative_infinity", [](const BuiltinCall& c) { return constant(c, -kInfinity); }},
    {"not_a_number", [](const BuiltinCall& c) { return constant(c, kNaN); }},
    {"pi", [](const BuiltinCall& c) { return constant(c, 3.14159265358979323846); }},
    {"positive_infinity", [](const BuiltinCall& c) { return constant(c, kInfinity); }},
    {"round", unary<graph::round>, true},
    {"sin", unary<graph::sin>, true},
    {"sinh", unary<graph::sinh>, true},
    {"sqrt", unary<graph::sqrt>, true},
    {"sqrt2", [](const BuiltinCall& c) { return constant(c, 1.41421356237309504880); }},
    {"square", unary<graph::square>, true},
    {"step", unary<step>, true},
    {"tan", unary<graph::tan>, true},
    {"tanh", unary<graph::tanh>, true},
    {"trigamma", unary<graph::trigamma>, true},
    {"trunc", unary<graph::trunc>, true},
};
}  // namespace

std::span<const Builtin> builtins_elementwise() { return kElementwiseRows; }

}  // namespace credo::lang
