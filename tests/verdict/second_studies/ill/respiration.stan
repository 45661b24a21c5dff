// Soil respiration by twelve correlated covariates, by a random-walk Metropolis sampler with as many iterations as one gives
// NUTS: Roberts and Rosenthal, Statistical Science 16 (2001), who count the iterations that it needs; Congdon, Applied Bayesian
// Modelling, chapter 1; simulated.
// sample: --sampler rwm
// expect: not_mixed
// expect: few_draws
// may: beta alpha sigma
// remedy: --sampler nuts
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
  alpha ~ normal(0, 5);
  beta ~ normal(0, 2);
  sigma ~ normal(0, 2);
  y ~ normal(alpha + x * beta, sigma);
}
