// Two measures of nearly the same thing as predictors, trajectories cut short to save time.
// expect: tree_depth
// may: alpha beta sigma lp__
// sample: --max-depth 3
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
  beta ~ normal(0, 2);
  sigma ~ normal(0, 2);
  y ~ normal(alpha + x * beta, sigma);
}
