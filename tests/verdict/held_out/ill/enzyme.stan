// An enzyme at concentrations far below saturation: only the ratio of both constants shows.
// expect: flat_direction v_max k_m
data {
  int<lower=1> N;
  vector<lower=0>[N] concentration;
  vector[N] rate;
}
parameters {
  real<lower=0> v_max;  // here
  real<lower=0> k_m;  // here
  real<lower=0> sigma;
}
model {
  v_max ~ lognormal(0, 4);  // here
  k_m ~ lognormal(0, 4);  // here
  sigma ~ normal(0, 1);
  rate ~ normal(v_max * concentration ./ (k_m + concentration), sigma);  // here
}
