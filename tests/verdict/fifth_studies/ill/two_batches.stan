// Potency of two batches of a vaccine with a half-Cauchy prior of scale 25 for the standard deviation among batches: Gelman,
// Bayesian Analysis 1 (2006), section 5; Williams, Rast and Bürkner, Bayesian Meta-Analysis with Weakly Informative Prior
// Distributions (2018); made up. Two batches don't bound it, and the prior's tail remains.
// expect: heavy_tails tau/mu
// may: mu tau
data {
  int<lower=1> J;
  vector[J] effect;
  real<lower=0> se;
}
parameters {
  real mu;
  real<lower=0> tau;
}
model {
  mu ~ normal(0, 1000);
  tau ~ cauchy(0, 25);
  effect ~ normal(mu, sqrt(square(se) + square(tau)));
}
