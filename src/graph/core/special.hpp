// Expressions of special functions, and of any function that few sources use: expr.hpp is read by half of the tree.
//
// Each applies the row of its name, element by element. Outside the domain the value is NaN. Largest errors are stated with
// the kernels (numerics/simd).
#pragma once
#include "graph/core/expr.hpp"

namespace credo::graph {

Expr bessel_i(const Expr& n, const Expr& x);  // modified Bessel functions of whole order n
Expr bessel_j(const Expr& n, const Expr& x);
Expr bessel_k(const Expr& n, const Expr& x);
Expr bessel_ratio(const Expr& x);    // I1(x) / I0(x)
Expr bessel_ratio_1(const Expr& x);  // its derivative
Expr bessel_ratio_2(const Expr& x);  // and the next
Expr bessel_y(const Expr& n, const Expr& x);
// Sums of the Conway-Maxwell-Poisson distribution with eta = log mu and shape nu (numerics/com_poisson.hpp): log of the sum of
// exp(nu (k eta - log k!)) over all counts k, over those above y and up to y; mean and variance of the counts.
Expr com_poisson_log_sum(const Expr& eta, const Expr& nu);
Expr com_poisson_log_sum_above(const Expr& y, const Expr& eta, const Expr& nu);
Expr com_poisson_log_sum_up_to(const Expr& y, const Expr& eta, const Expr& nu);
Expr com_poisson_mean(const Expr& eta, const Expr& nu);
Expr com_poisson_variance(const Expr& eta, const Expr& nu);
Expr digamma_delta(const Expr& x, const Expr& n);   // digamma(x + n) - digamma(x)
Expr digamma_excess(const Expr& x, const Expr& n);  // digamma(x + n) - digamma(x) - n/x
Expr digamma_less_log(const Expr& x);               // digamma(x) - log(x)
Expr inv_inc_beta(const Expr& a, const Expr& b, const Expr& p);  // x with I_x(a, b) = p
Expr inverse_mills(const Expr& x);                               // derivative of log_phi
Expr lbeta(const Expr& a, const Expr& b);                        // log of the beta function
Expr lchoose(const Expr& n, const Expr& k);                      // log of the binomial coefficient
Expr lgamma_delta(const Expr& x, const Expr& n);                 // lgamma(x + n) - lgamma(x)
Expr lgamma_excess(const Expr& x, const Expr& n);  // lgamma(x + n) - lgamma(x) - n log(x)
Expr log1pmx(const Expr& x);                       // log1p(x) - x
Expr log_bessel_i(const Expr& nu, const Expr& x);  // log I_nu(x), nu > -1, x >= 0
Expr log_bessel_i0(const Expr& x);
Expr log_gamma_p(const Expr& a,
                 const Expr& x);  // log of the regularised lower incomplete gamma function
Expr log_gamma_q(const Expr& a, const Expr& x);                  // and of the upper one
Expr log_inc_beta(const Expr& a, const Expr& b, const Expr& z);  // log of I_x(a, b), z = logit(x)
Expr pentagamma(const Expr& x);                                  // third derivative of digamma
Expr scaled_log1p(const Expr& n, const Expr& m);                 // n log1p(m / n), n, m > 0
Expr scaled_log1p_exp(const Expr& n, const Expr& eta);           // n log1p(exp(eta) / n)
Expr student_t_quantile(const Expr& p, const Expr& nu);
Expr tetragamma(const Expr& x);  // second derivative of digamma
Expr trigamma(const Expr& x);
Expr trigamma_excess(const Expr& x, const Expr& n);  // trigamma(x + n) - trigamma(x) + n/x^2
// Scalar: the hypergeometric series with vectors of shapes a and b (numerics/hypergeometric.hpp).
Expr hypergeometric(const Expr& a, const Expr& b, const Expr& z);

}  // namespace credo::graph
