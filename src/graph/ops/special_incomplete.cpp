// Elementwise rows over the incomplete gamma and beta functions, as logarithms, so that both tails
// keep their digits; the functions themselves are exp of these. By argument they have formulas over
// smooth rows; by shape there are rows of their own that end there.
#include "graph/ops/special_incomplete.hpp"

#include "graph/core/ops.hpp"
#include "graph/core/special.hpp"
#include "graph/ops/map_plain.hpp"
#include "numerics/incomplete_beta.hpp"
#include "numerics/incomplete_gamma.hpp"

namespace credo::graph {
namespace {

double p_by_shape(double a, double x) {
  return std::isnan(a) || std::isnan(x) ? kNaN : numerics::log_gamma_p_shape(a, x);
}
double q_by_shape(double a, double x) {
  return std::isnan(a) || std::isnan(x) ? kNaN : numerics::log_gamma_q_shape(a, x);
}

// I_x(a, b) by z = logit(x), so that x and 1 - x are alike; at the ends the value is 0 or 1
// whatever the shapes.
double log_inc_beta_of(double a, double b, double z) {
  if (std::isinf(z)) return z > 0.0 ? 0.0 : -kInfinity;
  return numerics::beta_tails_logit(a, b, z).log_p.c[0];
}
template <bool kFirst>
double inc_beta_shape(double a, double b, double z) {
  if (std::isnan(a) || std::isnan(b) || std::isnan(z)) return kNaN;
  if (std::isinf(z)) return 0.0;
  const auto direction = kFirst ? numerics::kAlongA : numerics::kAlongB;
  return numerics::beta_tails_logit(a, b, z, direction).log_p.c[1];
}

const Op log_gamma_p_shape_row{
    .name = "log_gamma_p_shape", .arity = 2, .order = 0, .kernel = []() -> Kernel {
      return map_2<p_by_shape>;
    }};
const Op log_gamma_q_shape_row{
    .name = "log_gamma_q_shape", .arity = 2, .order = 0, .kernel = []() -> Kernel {
      return map_2<q_by_shape>;
    }};

// d log P / dx = x^(a-1) e^-x / (Gamma(a) P) and the same over -Q, as exp of a sum of logarithms.
Expr density_over(const RuleArgs& r) {
  const Expr &a = r.in[0], &x = r.in[1];
  return exp(multiply_log(a - 1.0, x) - x - lgamma(a) - r.out);
}
std::vector<Expr> log_gamma_p_rule(const RuleArgs& r) {
  return {apply(log_gamma_p_shape_row, {r.in[0], r.in[1]}), density_over(r)};
}
std::vector<Expr> log_gamma_q_rule(const RuleArgs& r) {
  return {apply(log_gamma_q_shape_row, {r.in[0], r.in[1]}), -density_over(r)};
}
const Op log_gamma_p_row{.name = "log_gamma_p",
                         .arity = 2,
                         .order = 1,
                         .rule = log_gamma_p_rule,
                         .kernel = []() -> Kernel { return map_2<numerics::log_gamma_p>; }};
const Op log_gamma_q_row{.name = "log_gamma_q",
                         .arity = 2,
                         .order = 1,
                         .rule = log_gamma_q_rule,
                         .kernel = []() -> Kernel { return map_2<numerics::log_gamma_q>; }};

const Op log_inc_beta_by_a_row{
    .name = "log_inc_beta_by_a", .arity = 3, .order = 0, .kernel = []() -> Kernel {
      return map_3<inc_beta_shape<true>>;
    }};
const Op log_inc_beta_by_b_row{
    .name = "log_inc_beta_by_b", .arity = 3, .order = 0, .kernel = []() -> Kernel {
      return map_3<inc_beta_shape<false>>;
    }};

// d log I / dz = x^a (1-x)^b / (B(a, b) I)
std::vector<Expr> log_inc_beta_rule(const RuleArgs& r) {
  const Expr &a = r.in[0], &b = r.in[1], &z = r.in[2];
  const Expr by_z = exp(a * log_inv_logit(z) + b * log_inv_logit(-z) - lbeta(a, b) - r.out);
  return {apply(log_inc_beta_by_a_row, r.in), apply(log_inc_beta_by_b_row, r.in), by_z};
}
const Op log_inc_beta_row{.name = "log_inc_beta",
                          .arity = 3,
                          .order = 1,
                          .rule = log_inc_beta_rule,
                          .kernel = []() -> Kernel { return map_3<log_inc_beta_of>; }};

// x with I_x(a, b) = p: by p the inverse of the density, by the shapes what keeps I as it is.
double inv_inc_beta_of(double a, double b, double p) {
  const bool inside = a > 0.0 && a < kInfinity && b > 0.0 && b < kInfinity && p >= 0.0 && p <= 1.0;
  return inside ? numerics::inv_inc_beta(a, b, p) : kNaN;
}
std::vector<Expr> inv_inc_beta_rule(const RuleArgs& r) {
  const Expr &a = r.in[0], &b = r.in[1], &p = r.in[2], &x = r.out;
  const Expr z = log(x) - log1m(x);
  const Expr by_p = exp(lbeta(a, b) - multiply_log(a - 1.0, x) - (b - 1.0) * log1m(x));
  return {-(p * by_p) * apply(log_inc_beta_by_a_row, {a, b, z}),
          -(p * by_p) * apply(log_inc_beta_by_b_row, {a, b, z}), by_p};
}
const Op inv_inc_beta_row{.name = "inv_inc_beta",
                          .arity = 3,
                          .order = 1,
                          .rule = inv_inc_beta_rule,
                          .kernel = plain_3<inv_inc_beta_of>};

// The quantile t of Student's t distribution. Its tail beyond |t| is I_x(nu/2, 1/2)/2 with
// logit x = log(nu/t^2); the density gives the derivative by p.
double student_t_quantile_of(double p, double nu) {
  const bool inside = p >= 0.0 && p <= 1.0 && nu > 0.0 && nu < kInfinity;
  return inside ? numerics::inv_student_t(p, nu) : kNaN;
}
std::vector<Expr> student_t_quantile_rule(const RuleArgs& r) {
  const Expr &nu = r.in[1], &t = r.out;
  const Expr half = 0.5 * nu,
             by_p = sqrt(nu) * exp(lbeta(half, 0.5) + (half + 0.5) * log1p(square(t) / nu));
  const Expr at_zero = equal(t, 0.0), size = select(at_zero, 1.0, abs(t));
  const Expr z = log(nu) - 2.0 * log(size);
  const Expr log_i = log_inc_beta(half, 0.5, z);
  const Expr by_z = exp(half * log_inv_logit(z) + 0.5 * log_inv_logit(-z) - lbeta(half, 0.5));
  const Expr tail =
      0.5 * (0.5 * exp(log_i) * apply(log_inc_beta_by_a_row, {half, 0.5, z}) + by_z / nu);
  const Expr outwards = select(less(t, 0.0), -tail, tail);
  return {by_p, select(at_zero, 0.0, outwards * by_p)};
}
const Op student_t_quantile_row{.name = "student_t_quantile",
                                .arity = 2,
                                .order = 1,
                                .rule = student_t_quantile_rule,
                                .kernel = plain_2<student_t_quantile_of>};
}  // namespace

Expr inv_inc_beta(const Expr& a, const Expr& b, const Expr& p) {
  return apply(inv_inc_beta_row, {a, b, p});
}
Expr student_t_quantile(const Expr& p, const Expr& nu) {
  return apply(student_t_quantile_row, {p, nu});
}

Expr log_gamma_p(const Expr& a, const Expr& x) { return apply(log_gamma_p_row, {a, x}); }
Expr log_gamma_q(const Expr& a, const Expr& x) { return apply(log_gamma_q_row, {a, x}); }
Expr log_inc_beta(const Expr& a, const Expr& b, const Expr& z) {
  return apply(log_inc_beta_row, {a, b, z});
}

std::span<const Op* const> ops::incomplete_rows() {
  static const std::array<const Op*, 9> rows{
      &inv_inc_beta_row,      &student_t_quantile_row, &log_gamma_p_row,
      &log_gamma_p_shape_row, &log_gamma_q_row,        &log_gamma_q_shape_row,
      &log_inc_beta_by_a_row, &log_inc_beta_by_b_row,  &log_inc_beta_row};
  return rows;
}

}  // namespace credo::graph
