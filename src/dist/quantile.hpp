// Quantiles that several rows share, and those by inversion of the tails.
#pragma once
#include "dist/distribution.hpp"
#include "graph/core/special.hpp"

namespace credo::dist {

// The level with both sides exchanged.
inline Level complement(const Level& at) {
  const Tail given = at.given == Tail::log_cdf    ? Tail::log_ccdf
                     : at.given == Tail::log_ccdf ? Tail::log_cdf
                                                  : Tail::cdf;
  return {given, at.q, at.p, at.log_q, at.log_p};
}

double log_odds(const Level& at);                           // log(p / q)
double gamma_quantile(const Level& at, double shape);       // for rate 1
double beta_quantile(const Level& at, double a, double b);  // nearest 1 with few digits of 1 - x
double student_t_quantile(const Level& at, double nu);      // standard

// Quantile of the distribution cut to the range: u of the mass lies beyond on the side of the smaller
// tail; NaN without mass.
double quantile_within(const Distribution& d, const Range& range, double u, Params args);

// By bisection of the row's tails within [lower, upper], where they are 0 and 1.
double invert_tails(const Distribution& d, const Level& at, Params args, double lower,
                    double upper);

}  // namespace credo::dist
