// Parts of the Conway-Maxwell-Poisson distribution that its two parametrisations share, by eta = log mu and the shape nu:
//   log p(y) = nu (y eta - log y!) - log Z(eta, nu).
#pragma once
#include "dist/formula.hpp"

namespace credo::dist {

struct ComPoissonArgs {
  Expr eta, nu;
};
Terms com_poisson_log_density(const Expr& y, const ComPoissonArgs& a);
// The smaller tail is a sum of positive terms over Z, the larger one its rest.
Expr com_poisson_log_cdf(const Expr& y, const ComPoissonArgs& a);
Expr com_poisson_log_ccdf(const Expr& y, const ComPoissonArgs& a);
// Refuses a shape so close to 0 that the sum of the normaliser would have too many terms.
void check_com_poisson(const ComPoissonArgs& a, std::string_view function, Checks& checks);

double draw_com_poisson(Rng& rng, double eta, double nu);  // by inversion, from the mode outwards
double com_poisson_mean(double eta, double nu);
double com_poisson_variance(double eta, double nu);
double com_poisson_entropy(double eta, double nu);

}  // namespace credo::dist
