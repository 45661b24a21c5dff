// decay.stan with a gamma law as the prior of the decay length.
data {
  int<lower=0> N;
  real<lower=0> a;
  real<lower=a> b;
  vector<lower=a, upper=b>[N] x;
  real<lower=0> shape, rate;
}
parameters {
  real<lower=0> lambda;
}
model {
  lambda ~ gamma(shape, rate);
  for (n in 1:N) x[n] ~ exponential(1 / lambda) T[a, b];
}
