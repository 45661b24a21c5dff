// Eight schools with a flat prior on the logarithm of the groups' standard deviation: Bayesian Data Analysis, 3rd ed.,
// section 5.4: the likelihood doesn't go to zero with it.
// Remedied: a proper prior.
data {
  int<lower=1> J;
  vector[J] effect;
  vector<lower=0>[J] se;
}
parameters {
  real mu;
  real log_tau;
}
transformed parameters {
  real tau = exp(log_tau);
}
model {
  mu ~ normal(0, 20);
  log_tau ~ normal(log(5), 1);
  effect ~ normal(mu, sqrt(square(se) + square(tau)));
}
