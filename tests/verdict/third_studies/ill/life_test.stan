// Twelve bearings ran for 500 hours and none failed: the mean of exponential lives, without a prior: Meeker and Escobar,
// Statistical Methods for Reliability Data (1998), section 7.7.
// expect: improper mean_life
data {
  int<lower=1> N;
  real<lower=0> hours;
}
parameters {
  real<lower=0> mean_life;
}
model {
  target += N * exponential_lccdf(hours | 1 / mean_life);
}
