// Entropies that several rows share, and those that are summed or integrated.
#pragma once
#include "dist/distribution.hpp"

namespace credo::dist {

// All in nats, with a relative error below 1e-13 of the larger of 1 and the entropy.
double x_log_x(double x);                // 0 at 0
double x_log1p(double x, double u);      // x log(1 + u), 0 for x = 0
double gamma_entropy(double shape);      // of rate 1
double inv_gamma_entropy(double shape);  // of scale 1
double beta_entropy(double a, double b);

// sum -p log p over the support of a discrete univariate row: mass by mass near its median and its
// ends, between them and beyond by Gauss rules with the correction of Euler and Maclaurin, where
// masses fall off as a power in closed form. Relative error below 1e-10; 1e-7 where the sum
// converges slower than 1/sqrt(k).
double summed_entropy(const Distribution& d, Params args);

// int -f log f over a continuous univariate row with light tails, by adaptive Gauss rules between
// its quantiles. Error below 1e-12.
double integrated_entropy(const Distribution& d, Params args);

// Expectation E g(k) for a bounded discrete univariate row, mass by mass.
double expectation(const Distribution& d, Params args, const std::function<Expr(const Expr& k)>& g);

}  // namespace credo::dist
