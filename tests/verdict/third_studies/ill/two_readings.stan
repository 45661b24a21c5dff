// Two readings of a gravimeter, a normal distribution with Jeffreys' prior 1 / sigma: Gelman et al., Bayesian Data Analysis,
// third edition (2013), section 3.2. The mean has a Cauchy distribution a posteriori.
// expect: heavy_tails mu/sigma
// may: mu sigma
data {
  int<lower=1> N;
  vector[N] reading;
}
parameters {
  real mu;
  real<lower=0> sigma;
}
model {
  target += -log(sigma);
  reading ~ normal(mu, sigma);
}
