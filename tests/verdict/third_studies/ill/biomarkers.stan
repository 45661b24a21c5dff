// Fifteen biomarkers predict a clinical score, thirty patients: coefficients of one common scale, Bayesian ridge regression: Park
// and Casella, Journal of the American Statistical Association 103 (2008); simulated. None of the markers is worth anything.
// expect: funnel lambda
// may: beta
data {
  int<lower=1> N;
  int<lower=1> K;
  matrix[N, K] X;
  vector[N] y;
}
parameters {
  real alpha;
  vector[K] beta;
  real<lower=0> lambda;
  real<lower=0> sigma;
}
model {
  alpha ~ normal(0, 2);
  lambda ~ cauchy(0, 1);
  sigma ~ normal(0, 2);
  beta ~ normal(0, lambda);
  y ~ normal(alpha + X * beta, sigma);
}
generated quantities {
  real R2 = variance(X * beta) / (variance(X * beta) + square(sigma));
}
