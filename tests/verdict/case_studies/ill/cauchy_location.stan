// Location of a Cauchy distribution of known scale from two clusters of values: Barnett (1966); Robert and Casella, Monte Carlo
// Statistical Methods, example 1.9; Marin and Robert, Bayesian Core.
// sample: --chains 8
// expect: multimodal mu
data {
  int<lower=1> N;
  vector[N] y;
}
parameters {
  real mu;
}
model {
  mu ~ normal(0, 50);
  y ~ cauchy(mu, 0.3);
}
