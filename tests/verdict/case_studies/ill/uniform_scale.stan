// Eight schools, means integrated out, with the uniform prior of Gelman (2006) on the groups' standard deviation; the parameter
// is declared without the prior's limits.
// expect: missing_constraint tau
data {
  int<lower=1> J;
  vector[J] effect;
  vector<lower=0>[J] se;
}
parameters {
  real mu;
  real tau;  // here
}
model {
  mu ~ normal(0, 20);
  tau ~ uniform(0, 15);  // here
  effect ~ normal(mu, sqrt(square(se) + square(tau)));
}
