// The same, as if the measurements were the truth.
data {
  int<lower=0> N;
  vector[N] yield;
  vector[N] nitrogen;
}
parameters {
  real level, slope;
  real<lower=0> sigma;
}
model {
  level ~ normal(100, 30);
  slope ~ normal(0, 2);
  sigma ~ normal(0, 20);
  yield ~ normal(level + slope * (nitrogen - 70), sigma);
}
