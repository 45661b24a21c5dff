// Regression with twelve predictors and the horseshoe, centred: Carvalho, Polson and Scott (2010); Piironen and Vehtari (2017);
// simulated, three coefficients aren't zero.
// expect: divergences tau/lambda/beta
// expect: funnel tau/lambda
// expect: missing_mass tau/lambda/beta
// may: tau lambda beta
data {
  int<lower=1> N;
  int<lower=1> K;
  matrix[N, K] X;
  vector[N] y;
}
parameters {
  vector[K] beta;
  vector<lower=0>[K] lambda;
  real<lower=0> tau;
  real<lower=0> sigma;
}
model {
  tau ~ cauchy(0, 0.1);
  lambda ~ cauchy(0, 1);
  beta ~ normal(0, tau * lambda);
  sigma ~ normal(0, 2);
  y ~ normal(X * beta, sigma);
}
