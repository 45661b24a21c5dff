// Twelve bearings ran for 500 hours and none failed: the mean of exponential lives, without a prior: Meeker and Escobar,
// Statistical Methods for Reliability Data (1998), section 7.7. Remedied.
data {
  int<lower=1> N;
  real<lower=0> hours;
}
parameters {
  real<lower=0> mean_life;
}
model {
  mean_life ~ lognormal(8, 0.6);
  target += N * exponential_lccdf(hours | 1 / mean_life);
}
