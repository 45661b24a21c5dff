// Groups: a gather, and sums by group on the way back.
data {
  int<lower=1> N;
  int<lower=1> J;
  array[N] int<lower=1, upper=J> group;
  vector[N] x;
  vector[N] y;
}
parameters {
  vector[J] z;
  real mu;
  real<lower=0> tau;
  real slope;
  real<lower=0> sigma;
}
transformed parameters {
  vector[J] intercept = mu + tau * z;
}
model {
  z ~ std_normal();
  mu ~ normal(0, 5);
  tau ~ normal(0, 1);
  slope ~ normal(0, 1);
  sigma ~ normal(0, 1);
  y ~ normal(intercept[group] + slope * x, sigma);
}
