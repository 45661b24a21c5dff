// Rain of nine summer storms, gamma: Thom, Monthly Weather Review 86 (1958); simulated. Shape and rate are declared as any real
// numbers, and the priors don't exclude negative ones. Remedied.
data {
  int<lower=1> N;
  vector<lower=0>[N] rain;
}
parameters {
  real<lower=0> shape;
  real<lower=0> rate;
}
model {
  shape ~ normal(0, 2);
  rate ~ normal(0, 2);
  rain ~ gamma(shape, rate);
}
generated quantities {
  real log_mean = log(shape / rate);
}
