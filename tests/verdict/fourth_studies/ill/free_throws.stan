// Free throws of twelve players, beta-binomial with flat priors of both parameters: Gelman et al., Bayesian Data Analysis, third
// edition (2013), section 5.3, on improper hyperpriors; simulated, with players that are all alike. Both may grow together
// without end.
// expect: improper alpha/beta
// may: alpha beta
data {
  int<lower=1> J;
  array[J] int<lower=0> n;
  array[J] int<lower=0> hits;
}
parameters {
  real<lower=0> alpha;
  real<lower=0> beta;
}
model {
  hits ~ beta_binomial(n, alpha, beta);
}
