// Whether birds nest, by the (standardised) cover of shrubs, which separates them wholly; coefficients with Cauchy priors: Ghosh,
// Li and Mitra, Bayesian Analysis 13 (2018), where the posterior means don't exist; simulated. Remedied.
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
  alpha ~ normal(0, 2.5);
  beta ~ normal(0, 2.5);
  nest ~ bernoulli_logit(alpha + beta * cover);
}
