// Strength of a chemical paste, two assays of each of three casks of ten deliveries, casks nested in deliveries: Davies and
// Goldsmith, Statistical Methods in Research and Production (1972); simulated. Casks differ much, deliveries hardly.
// expect: funnel sd_delivery/of_delivery
// may: sd_delivery of_delivery mu
data {
  int<lower=1> N;
  int<lower=1> B;
  int<lower=1> C;
  array[C] int<lower=1, upper=B> delivery;
  array[N] int<lower=1, upper=C> cask;
  vector[N] strength;
}
parameters {
  real mu;
  vector[B] of_delivery;
  vector[C] of_cask;
  real<lower=0> sd_delivery;
  real<lower=0> sd_cask;
  real<lower=0> sigma;
}
model {
  mu ~ normal(60, 10);
  sd_delivery ~ normal(0, 3);
  sd_cask ~ normal(0, 3);
  sigma ~ normal(0, 3);
  of_delivery ~ normal(mu, sd_delivery);
  of_cask ~ normal(of_delivery[delivery], sd_cask);
  strength ~ normal(of_cask[cask], sigma);
}
