// Coefficients with the Cauchy prior of a default, one of them without any data.
// expect: heavy_tails beta[3]
data {
  int<lower=1> N;
  int<lower=1> K;
  matrix[N, K] x;
  array[N] int<lower=0, upper=1> y;
}
parameters {
  real alpha;
  vector[K] beta;  // here
}
model {
  alpha ~ normal(0, 5);
  beta ~ cauchy(0, 2.5);  // here
  y ~ bernoulli_logit(alpha + x * beta);
}
