// Whether a customer returns (y), by a score (x) between -2 and 2.
data {
  int<lower=0> N;
  vector[N] x;
  array[N] int<lower=0, upper=1> y;
}
parameters {
  real a;
  real b;
}
model {
  a ~ normal(0, 2);
  b ~ normal(0, 2);
  y ~ bernoulli_logit(a + b * x);
}
