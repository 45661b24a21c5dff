// Effect of a treatment in two clinics, with no prior for the standard deviation between clinics: Gelman, Bayesian Analysis 1
// (2006), section 2: with two groups the posterior is improper; made-up figures.
// expect: improper tau/mu
// may: mu tau
data {
  int<lower=1> J;
  vector[J] y;
  vector<lower=0>[J] se;
}
parameters {
  real mu;
  real<lower=0> tau;
}
model {
  y ~ normal(mu, sqrt(square(tau) + square(se)));
}
