// Coagulation times of rats of eight strains, with the gamma prior of parameters 0.001 of the precision that was the custom:
// Gelman, Bayesian Analysis 1 (2006); BUGS examples, volume 1; simulated, strains alike. The prior's spike at a spread of zero
// is not bounded. Remedied.
// sample: --adapt-delta 0.95
data {
  int<lower=1> N;
  int<lower=1> J;
  array[N] int<lower=1, upper=J> strain_of;
  vector[N] seconds;
}
parameters {
  real mu;
  real<lower=0> spread;
  vector<offset=mu, multiplier=spread>[J] strain;
  real<lower=0> sigma;
}
model {
  mu ~ normal(60, 20);
  spread ~ normal(0, 5);
  strain ~ normal(mu, spread);
  sigma ~ normal(0, 10);
  seconds ~ normal(strain[strain_of], sigma);
}
