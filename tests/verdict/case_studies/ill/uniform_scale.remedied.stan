// Eight schools, means integrated out, with the uniform prior of Gelman (2006) on the groups' standard deviation; the parameter
// is declared without the prior's limits.
// Remedied: the prior's limits in the declaration.
data {
  int<lower=1> J;
  vector[J] effect;
  vector<lower=0>[J] se;
}
parameters {
  real mu;
  real<lower=0, upper=15> tau;
}
model {
  mu ~ normal(0, 20);
  tau ~ uniform(0, 15);
  effect ~ normal(mu, sqrt(square(se) + square(tau)));
}
