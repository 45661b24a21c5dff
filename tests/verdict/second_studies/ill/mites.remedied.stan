// Counts of mites on apple leaves, hardly more spread than Poisson counts, negative binomial with a flat prior of its size
// parameter: Bliss and Fisher, Biometrics 9 (1953); Gelman, Hill and Vehtari, Regression and Other Stories, chapter 15;
// simulated. As phi grows the likelihood approaches that of Poisson counts, which is not zero. Remedied.
data {
  int<lower=1> N;
  array[N] int<lower=0> mites;
}
parameters {
  real log_mean;
  real<lower=0> dispersion;
}
model {
  log_mean ~ normal(0, 2);
  dispersion ~ normal(0, 1);
  mites ~ neg_binomial_2_log(log_mean, inv_square(dispersion));
}
