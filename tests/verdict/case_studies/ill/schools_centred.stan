// Eight schools with centred effects: Rubin (1981); Bayesian Data Analysis, 3rd ed., section 5.5; Betancourt and Girolami (2013).
// expect: funnel tau
// may: theta
data {
  int<lower=1> J;
  vector[J] effect;
  vector<lower=0>[J] se;
}
parameters {
  real mu;
  real<lower=0> tau;
  vector[J] theta;
}
model {
  mu ~ normal(0, 10);
  tau ~ cauchy(0, 5);
  theta ~ normal(mu, tau);
  effect ~ normal(theta, se);
}
