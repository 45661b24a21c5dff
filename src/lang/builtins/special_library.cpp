// Special functions that are rows over a library of them: Bessel functions, Lambert's W, Owen's T,
// hypergeometric series, quantiles of the beta and t distributions.
#include <fmt/format.h>

#include "graph/core/special.hpp"
#include "lang/builtins/rows.hpp"
#include "numerics/hypergeometric.hpp"

namespace credo::lang {
namespace {

Expr beta(const Expr& a, const Expr& b) { return graph::exp(graph::lbeta(a, b)); }
Value beta_function(const BuiltinCall& c) {
  for (std::size_t k = 0; k < 2; ++k)
    c.machine.checks().greater(c.expr(k), 0.0, {c.name, "argument", "positive"});
  return binary<beta>(c);
}

// ---- of a whole order and a number

template <Binary f, bool positive>
Value bessel(const BuiltinCall& c) {
  check_sizes_fit(c);
  if (positive)
    c.machine.checks().greater_equal(c.expr(1), 0.0, {c.name, "argument", "nonnegative"});
  return like(f(whole_like(c, 0, c[1]), c.expr(1)), c[1].is_scalar() ? c[0] : c[1]);
}

Value log_bessel(const BuiltinCall& c) {
  c.machine.checks().greater(c.expr(0), -1.0, {c.name, "order", "greater than -1"});
  c.machine.checks().greater_equal(c.expr(1), 0.0, {c.name, "argument", "nonnegative"});
  return binary<graph::log_bessel_i>(c);
}

// ---- counts of the Conway-Maxwell-Poisson distribution by location and shape

Expr com_poisson_mean(const Expr& mu, const Expr& nu) {
  return graph::com_poisson_mean(graph::log(mu), nu);
}
Expr com_poisson_variance(const Expr& mu, const Expr& nu) {
  return graph::com_poisson_variance(graph::log(mu), nu);
}
template <Binary f>
Value com_poisson_moment(const BuiltinCall& c) {
  c.machine.checks().greater(c.expr(0), 0.0, {c.name, "location", "positive"});
  c.machine.checks().greater(c.expr(1), 0.0, {c.name, "shape", "positive"});
  return binary<f>(c);
}
constexpr std::string_view kOfTwoNumbers =
    "{int|real}, {int|real} => real\n"
    "@ $K, @ $K => @ promote($K)\n"
    "@ $K, {int|real} => @ promote($K)\n"
    "{int|real}, @ $K => @ promote($K)";

// ---- hypergeometric functions

Value hypergeometric_1F0(const BuiltinCall& c) {  // (1 - z)^-a
  c.machine.checks().less(c.expr(1), 1.0, {c.name, "argument", "less than 1"});
  return Scalar(graph::exp(-(c.expr(0) * graph::log1m(c.expr(1)))));
}

Expr series(const BuiltinCall& c, const Expr& a, const Expr& b, const Expr& z) {
  const Expr value = graph::hypergeometric(a, b, z);
  c.machine.checks().not_nan(value, {c.name, "sum of the series", "a number (it converges)"});
  return value;
}

Expr listed(std::initializer_list<Expr> elements) {
  return graph::pack(graph::vector_shape(ssize(elements)), std::vector<Expr>(elements));
}

// Left of -1/2 by the transformation of Pfaff to z / (z - 1), which is positive.
Value hypergeometric_2F1(const BuiltinCall& c) {
  const Expr a = c.expr(0), b = c.expr(1), top = c.expr(2), z = c.expr(3);
  if (!c.machine.decide(graph::less(z, -0.5)))
    return Scalar(series(c, listed({a, b}), listed({top}), z));
  const Expr mapped = series(c, listed({a, top - b}), listed({top}), z / (z - 1.0));
  return Scalar(mapped * graph::exp(-(a * graph::log1m(z))));
}

Value hypergeometric_pFq(const BuiltinCall& c) {
  for (std::size_t k = 0; k < 2; ++k) {
    if (size_of(c[k]) <= numerics::kMostHypergeometricShapes) continue;
    c.machine.fail(fmt::format("{}: argument {} has {} elements, the most are {}", c.name, k + 1,
                               size_of(c[k]), numerics::kMostHypergeometricShapes));
  }
  const auto as_vector = [](const Expr& x) { return x.reshaped(graph::vector_shape(x.size())); };
  return Scalar(series(c, as_vector(c.expr(0)), as_vector(c.expr(1)), c.expr(2)));
}

// ---- quantiles

void check_probability(const BuiltinCall& c, const Expr& p) {
  const graph::Requirement rule{c.name, "probability", "in the interval [0, 1]"};
  c.machine.checks().greater_equal(p, 0.0, rule);
  c.machine.checks().less_equal(p, 1.0, rule);
}

Value inv_inc_beta(const BuiltinCall& c) {
  for (std::size_t k = 0; k < 2; ++k)
    c.machine.checks().greater(c.expr(k), 0.0, {c.name, "shape", "positive"});
  check_probability(c, c.expr(2));
  return Scalar(graph::inv_inc_beta(c.expr(0), c.expr(1), c.expr(2)));
}

Value student_t_qf(const BuiltinCall& c) {
  check_probability(c, c.expr(0));
  c.machine.checks().greater(c.expr(1), 0.0, {c.name, "degrees of freedom", "positive"});
  c.machine.checks().finite(c.expr(2), {c.name, "location", "finite"});
  c.machine.checks().greater(c.expr(3), 0.0, {c.name, "scale", "positive"});
  Index size = -1;
  std::array<Expr, 4> in;
  for (std::size_t k = 0; k < 4; ++k) {
    in[k] = c.expr(k);
    if (c[k].is_scalar()) continue;
    if (size >= 0 && size_of(c[k]) != size)
      c.machine.fail(fmt::format("{}: arguments have lengths {} and {}, but must have one length",
                                 c.name, size, size_of(c[k])));
    size = size_of(c[k]);
    in[k] = in[k].reshaped(graph::vector_shape(size));
  }
  const Expr value = in[2] + in[3] * graph::student_t_quantile(in[0], in[1]);
  return size < 0 ? Value(Scalar(value)) : from_expr(value, BaseType::vector, {size});
}

constexpr Builtin kSpecialLibraryRows[] = {
    {"bessel_first_kind", bessel<graph::bessel_j, false>},
    {"bessel_second_kind", bessel<graph::bessel_y, true>},
    {"beta", beta_function},
    {.name = "com_poisson_mean",
     .run = com_poisson_moment<com_poisson_mean>,
     .signatures = kOfTwoNumbers},
    {.name = "com_poisson_variance",
     .run = com_poisson_moment<com_poisson_variance>,
     .signatures = kOfTwoNumbers},
    {"fmod", binary<graph::fmod>},
    {"hypergeometric_1F0", hypergeometric_1F0},
    {"hypergeometric_2F1", hypergeometric_2F1},
    {"hypergeometric_3F2", hypergeometric_pFq},
    {"hypergeometric_pFq", hypergeometric_pFq},
    {"inv_inc_beta", inv_inc_beta},
    {"lambert_w0", by_row<"lambert_w0">},
    {"lambert_wm1", by_row<"lambert_wm1">},
    {"log_modified_bessel_first_kind", log_bessel},
    {"modified_bessel_first_kind", bessel<graph::bessel_i, false>},
    {"modified_bessel_second_kind", bessel<graph::bessel_k, true>},
    {"owens_t", by_row<"owens_t">},
    {"student_t_qf", student_t_qf},
};
}  // namespace

std::span<const Builtin> builtins_special_library() { return kSpecialLibraryRows; }

}  // namespace credo::lang
