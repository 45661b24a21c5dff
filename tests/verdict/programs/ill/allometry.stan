// Yield as efficiency times uptake, of which only the product is observed.
// expect: flat_direction efficiency uptake
// sample: --warmup 500 --draws 400
data {
  int<lower=1> N;
  vector<lower=0>[N] light;
  vector[N] yield;
}
parameters {
  real<lower=0> efficiency;  // here
  real<lower=0> uptake;  // here
  real<lower=0> sigma;
}
model {
  efficiency ~ lognormal(0, 3);  // here
  uptake ~ lognormal(0, 3);  // here
  sigma ~ normal(0, 1);
  yield ~ normal(efficiency * uptake * light, sigma);  // here
}
