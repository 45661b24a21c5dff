// Rain of nine summer storms, gamma: Thom, Monthly Weather Review 86 (1958); simulated. Shape and rate are declared as any real
// numbers, and the priors don't exclude negative ones.
// expect: missing_constraint shape/rate
// may: shape rate
data {
  int<lower=1> N;
  vector<lower=0>[N] rain;
}
parameters {
  real shape;
  real rate;
}
model {
  shape ~ normal(0, 2);
  rate ~ normal(0, 2);
  rain ~ gamma(shape, rate);
}
generated quantities {
  real mean_rain = shape / rate;
}
