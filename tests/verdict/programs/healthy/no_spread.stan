// A random effect that isn't there: the scale's posterior is highest at its bound, zero, and should be.
// sample: --adapt-delta 0.95
data {
  int<lower=1> J;
  int<lower=1> N;
  array[N] int<lower=1, upper=J> block;
  vector[N] y;
}
parameters {
  real mu;
  real<lower=0> tau;
  vector[J] z;
  real<lower=0> sigma;
}
model {
  mu ~ normal(0, 5);
  tau ~ normal(0, 1);
  z ~ std_normal();
  sigma ~ normal(0, 2);
  y ~ normal(mu + tau * z[block], sigma);
}
