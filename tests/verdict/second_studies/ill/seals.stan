// Weights of seals at two beaches, kept every fiftieth draw because old advice says so: Link and Eaton, Methods in Ecology and
// Evolution 3 (2012), "On thinning of chains in MCMC"; simulated. Twenty draws a chain remain.
// sample: --thin 50
// expect: few_draws
// may: mu sigma
// remedy: --thin 1
data {
  int<lower=1> N;
  array[N] int<lower=1, upper=2> beach;
  vector[N] weight;
}
parameters {
  vector[2] mu;
  vector<lower=0>[2] sigma;
}
model {
  mu ~ normal(100, 50);
  sigma ~ normal(0, 30);
  weight ~ normal(mu[beach], sigma[beach]);
}
