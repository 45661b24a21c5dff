// A treatment in ten small clinics; effects of clinics with the standard errors reported.
// expect: funnel tau
// may: theta mu
data {
  int<lower=1> J;
  vector[J] y;
  vector<lower=0>[J] se;
}
parameters {
  real mu;
  real<lower=0> tau;  // here
  vector[J] theta;
}
model {
  mu ~ normal(0, 5);
  tau ~ cauchy(0, 2.5);  // here
  theta ~ normal(mu, tau);  // here
  y ~ normal(theta, se);
}
