// Coagulation times of rats of eight strains, with the gamma prior of parameters 0.001 of the precision that was the custom:
// Gelman, Bayesian Analysis 1 (2006); BUGS examples, volume 1; simulated, strains alike. The prior's spike at a spread of zero
// is not bounded.
// expect: funnel strain_variance/strain
// expect: divergences strain_variance/strain
// expect: missing_mass strain_variance/strain
// expect: stuck_chain strain_variance/strain
// may: strain_variance strain
data {
  int<lower=1> N;
  int<lower=1> J;
  array[N] int<lower=1, upper=J> strain_of;
  vector[N] seconds;
}
parameters {
  real mu;
  real<lower=0> strain_variance;
  vector[J] strain;
  real<lower=0> sigma;
}
model {
  mu ~ normal(60, 20);
  strain_variance ~ inv_gamma(0.001, 0.001);
  strain ~ normal(mu, sqrt(strain_variance));
  sigma ~ normal(0, 10);
  seconds ~ normal(strain[strain_of], sigma);
}
