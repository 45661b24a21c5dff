// The regularised incomplete Gamma functions P(a, x) and Q(a, x) = 1 - P(a, x), their logarithms
// and derivatives by the shape a up to the third, a > 0, x >= 0. Values and first derivatives have
// a relative error below 1e-12 (log values: also absolute), in both tails down to logs of -1e6 and
// for shapes from 1e-8 to 1e10; tests/numerics/incomplete_gamma_test.cpp. Outside the domain all
// are NaN.
//
// By x: dP/dx = x^(a-1) e^-x / Gamma(a).
#pragma once
#include "numerics/incomplete_taylor.hpp"

namespace credo::numerics {

// Series in a: coefficient k is the k-th derivative by a over k!.
struct GammaTails {
  Taylor p, q, log_p, log_q;
};
GammaTails gamma_tails(double a, double x);

double gamma_p(double a, double x);
double gamma_q(double a, double x);
double log_gamma_p(double a, double x);
double log_gamma_q(double a, double x);

// The `order`-th derivative by a (1 to 3) of P, and those of the logarithms of P and Q.
double gamma_p_shape(double a, double x, size_t order = 1);
double log_gamma_p_shape(double a, double x, size_t order = 1);
double log_gamma_q_shape(double a, double x, size_t order = 1);

// x with P(a, x) = p, given p or log p, or given the logarithm of 1 - p; relative error below 1e-13
// times the conditioning p / (x dP/dx).
double inv_gamma_p(double a, double p);
double inv_log_gamma_p(double a, double log_p);
double inv_log_gamma_q(double a, double log_q);

}  // namespace credo::numerics
