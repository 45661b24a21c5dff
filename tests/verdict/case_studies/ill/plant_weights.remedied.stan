// Dried weight of plants in milligrams with a uniform prior for the standard deviation that was chosen for grams: Dobson, An
// Introduction to Generalized Linear Models, section 2.2; Gelman (2006) for the prior; simulated.
// Remedied: a prior for milligrams.
data {
  int<lower=1> N;
  vector[N] weight;
}
parameters {
  real mu;
  real<lower=0> sigma;
}
model {
  mu ~ normal(5000, 1000);
  sigma ~ normal(0, 1000);
  weight ~ normal(mu, sigma);
}
