// Titrations by three laboratories, with a uniform prior for the standard deviation among laboratories: Gelman, Bayesian Analysis
// 1 (2006), section 5.2, on three schools; simulated. Its posterior density falls with its square. Remedied.
data {
  int<lower=1> N;
  int<lower=1> J;
  array[N] int<lower=1, upper=J> lab;
  vector[N] acid;
}
parameters {
  real mu;
  real<lower=0> tau;
  vector[J] theta;
}
model {
  mu ~ normal(7, 5);
  tau ~ normal(0, 5);
  theta ~ normal(mu, tau);
  acid ~ normal(theta[lab], 0.3);
}
