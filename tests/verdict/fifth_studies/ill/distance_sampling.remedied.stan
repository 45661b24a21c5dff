// Distances from a line at which hares were seen, up to a hundred metres, with a half-normal detection whose scale was held below
// twenty-five: Buckland et al., Introduction to Distance Sampling (2001), chapter 3; Royle, Dawson and Bates, Ecology 85 (2004);
// simulated with a scale of thirty-eight. Remedied.
data {
  int<lower=1> N;
  vector<lower=0, upper=100>[N] metres;
}
parameters {
  real<lower=0, upper=250> sigma;
}
model {
  sigma ~ lognormal(3.5, 0.4);
  metres ~ normal(0, sigma);
  target += -N * log(Phi(100 / sigma) - 0.5);
}
