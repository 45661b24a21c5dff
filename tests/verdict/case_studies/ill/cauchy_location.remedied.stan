// Location of a Cauchy distribution of known scale from two clusters of values: Barnett (1966); Robert and Casella, Monte Carlo
// Statistical Methods, example 1.9; Marin and Robert, Bayesian Core.
// Remedied: a normal distribution with its standard deviation to be learnt.
// sample: --adapt-delta 0.95
data {
  int<lower=1> N;
  vector[N] y;
}
parameters {
  real mu;
  real<lower=0> sigma;
}
model {
  mu ~ normal(0, 50);
  sigma ~ normal(0, 20);
  y ~ normal(mu, sigma);
}
