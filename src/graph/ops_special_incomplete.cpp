// Elementwise rows over the incomplete gamma and beta functions, as logarithms, so that both tails
// keep their digits; the functions themselves are exp of these. By argument they have formulas over
// smooth rows; by shape there are rows of their own that end there.
#include "graph/ops_special_incomplete.hpp"

#include "graph/ops.hpp"
#include "numerics/incomplete_beta.hpp"
#include "numerics/incomplete_gamma.hpp"

namespace credo::graph {
namespace {

double operand(const Call& call, Index k, Index e, Index l) {
  return call.at(k, call.in_shape(k).is_scalar() ? 0 : e, l);
}

// Element by element with a function of plain numbers: these take a microsecond, vectors would not
// help.
template <double (*kFunction)(double, double)>
void map_2(const Call& call) {
  for (Index e = 0; e < call.shape.size(); ++e) {
    for (Index l = 0; l < call.lanes; ++l) {
      call.out[e * call.lanes + l] = kFunction(operand(call, 0, e, l), operand(call, 1, e, l));
    }
  }
}
template <double (*kFunction)(double, double, double)>
void map_3(const Call& call) {
  for (Index e = 0; e < call.shape.size(); ++e) {
    for (Index l = 0; l < call.lanes; ++l) {
      call.out[e * call.lanes + l] =
          kFunction(operand(call, 0, e, l), operand(call, 1, e, l), operand(call, 2, e, l));
    }
  }
}

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
}  // namespace

Expr log_gamma_p(const Expr& a, const Expr& x) { return apply(log_gamma_p_row, {a, x}); }
Expr log_gamma_q(const Expr& a, const Expr& x) { return apply(log_gamma_q_row, {a, x}); }
Expr log_inc_beta(const Expr& a, const Expr& b, const Expr& z) {
  return apply(log_inc_beta_row, {a, b, z});
}

std::span<const Op* const> ops::incomplete_rows() {
  static const std::array<const Op*, 7> rows{
      &log_gamma_p_row,       &log_gamma_p_shape_row, &log_gamma_q_row, &log_gamma_q_shape_row,
      &log_inc_beta_by_a_row, &log_inc_beta_by_b_row, &log_inc_beta_row};
  return rows;
}

}  // namespace credo::graph
