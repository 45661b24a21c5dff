// A straight line through points with normal errors.
data {
  int<lower=0> N;
  vector[N] x;
  vector[N] y;
}
parameters {
  real intercept;
  real slope;
  real<lower=0> sigma;
}
model {
  intercept ~ normal(0, 10);
  slope ~ normal(0, 10);
  sigma ~ normal(0, 5);
  y ~ normal(intercept + slope * x, sigma);
}
