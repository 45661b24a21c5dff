// A sound regression by a random walk, which takes more than these draws.
// expect: few_draws
// expect: not_mixed
// may: alpha beta sigma lp__
// sample: --sampler rwm --warmup 300 --draws 300
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
