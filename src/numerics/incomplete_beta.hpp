// The regularised incomplete Beta function I_x(a, b), its complement, their logarithms and
// derivatives by the shapes up to the third, a, b > 0, 0 <= x <= 1. Values and first derivatives
// have a relative error below 1e-11, in both tails down to logs of -1e6, for shapes from 1e-8 to
// 1e8; tests/numerics/incomplete_beta_test.cpp. Outside the domain all are NaN.
//
// By x: dI/dx = x^(a-1) (1-x)^(b-1) / B(a, b).
#pragma once
#include "numerics/incomplete_taylor.hpp"

namespace credo::numerics {

// The direction in the (a, b) plane along which derivatives are taken.
struct ShapeDirection {
  double a, b;
};
inline constexpr ShapeDirection kAlongA{1, 0}, kAlongB{0, 1}, kAlongBoth{1, 1};

// Series in t at (a + direction.a t, b + direction.b t): p is I_x, q is 1 - I_x.
struct BetaTails {
  Taylor p, q, log_p, log_q;
};
BetaTails beta_tails(double a, double b, double x, ShapeDirection direction = kAlongA);
// Beta tails for x = odds / (1 + odds), given log odds: x or 1 - x may be tiny.
BetaTails beta_tails_logit(double a, double b, double logit_x, ShapeDirection direction = kAlongA);

double inc_beta(double a, double b, double x);
double inc_beta_complement(double a, double b, double x);
double log_inc_beta(double a, double b, double x);
double log_inc_beta_complement(double a, double b, double x);

// d^2/da db of log I_x(a, b), from the second derivatives along a, b and both.
double log_inc_beta_mixed(double a, double b, double x);

// x with I_x(a, b) = p, and the logit of x given log p or log(1 - p).
double inv_inc_beta(double a, double b, double p);
double inv_log_inc_beta_logit(double a, double b, double log_p);

// Student's t distribution with nu > 0 degrees of freedom: distribution function, its logarithm,
// and the quantile of a probability.
double student_t_cdf(double t, double nu);
double log_student_t_cdf(double t, double nu);
double inv_student_t(double p, double nu);

}  // namespace credo::numerics
