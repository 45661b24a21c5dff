// A prior with two near bumps and little data: two modes, visited all the time.
data {
  int<lower=1> N;
  vector[N] y;
}
parameters {
  real effect;
  real<lower=0> sigma;
}
model {
  target += log_mix(0.5, normal_lpdf(effect | -1, 0.6), normal_lpdf(effect | 1, 0.6));
  sigma ~ normal(3, 0.5);
  y ~ normal(effect, sigma);
}
