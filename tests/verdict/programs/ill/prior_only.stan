// A hierarchy drawn from its prior, to see what it says before the data do.
// expect: low_energy_exchange
// expect: funnel tau
// may: mu theta tau lp__
data {
  int<lower=1> J;
}
parameters {
  real mu;
  real<lower=0> tau;  // here
  vector[J] theta;  // here
}
model {
  mu ~ normal(0, 1);
  tau ~ lognormal(0, 0.6);  // here
  theta ~ normal(mu, tau);  // here
}
