// Two readings of a gravimeter, a normal distribution with Jeffreys' prior 1 / sigma: Gelman et al., Bayesian Data Analysis,
// third edition (2013), section 3.2. The mean has a Cauchy distribution a posteriori. Remedied.
data {
  int<lower=1> N;
  vector[N] reading;
}
parameters {
  real mu;
  real<lower=0> sigma;
}
model {
  mu ~ normal(10, 3);
  sigma ~ lognormal(-0.5, 0.5);
  reading ~ normal(mu, sigma);
}
