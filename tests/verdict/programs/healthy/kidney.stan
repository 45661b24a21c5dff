// A linear regression with two predictors that are fairly correlated.
data {
  int<lower=1> N;
  int<lower=1> K;
  matrix[N, K] x;
  vector[N] y;
}
parameters {
  real alpha;
  vector[K] beta;
  real<lower=0> sigma;
}
model {
  alpha ~ normal(0, 10);
  beta ~ normal(0, 5);
  sigma ~ normal(0, 5);
  y ~ normal(alpha + x * beta, sigma);
}
generated quantities {
  array[N] real y_rep = normal_rng(alpha + x * beta, sigma);
}
