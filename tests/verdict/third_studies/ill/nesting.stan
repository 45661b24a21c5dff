// Whether birds nest, by the (standardised) cover of shrubs, which separates them wholly; coefficients with Cauchy priors: Ghosh,
// Li and Mitra, Bayesian Analysis 13 (2018), where the posterior means don't exist; simulated.
// expect: heavy_tails beta
// may: alpha
data {
  int<lower=1> N;
  vector[N] cover;
  array[N] int<lower=0, upper=1> nest;
}
parameters {
  real alpha;
  real beta;
}
model {
  alpha ~ cauchy(0, 10);
  beta ~ cauchy(0, 2.5);
  nest ~ bernoulli_logit(alpha + beta * cover);
}
