// Eight schools with a flat prior on the logarithm of the groups' standard deviation: Bayesian Data Analysis, 3rd ed.,
// section 5.4: the likelihood doesn't go to zero with it.
// expect: improper log_tau/tau
// may: log_tau tau
data {
  int<lower=1> J;
  vector[J] effect;
  vector<lower=0>[J] se;
}
parameters {
  real mu;
  real log_tau;  // here
}
transformed parameters {
  real tau = exp(log_tau);
}
model {
  effect ~ normal(mu, sqrt(square(se) + square(tau)));  // here
}
