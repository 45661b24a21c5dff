// Goals of a football team in 34 matches, negative binomial, with no prior for the dispersion: Karlis and Ntzoufras, The
// Statistician 52 (2003); simulated. Goals vary less than Poisson numbers, so that the dispersion has no upper end.
// expect: improper phi
data {
  int<lower=1> N;
  array[N] int<lower=0> goals;
}
parameters {
  real<lower=0> mu;
  real<lower=0> phi;
}
model {
  mu ~ gamma(2, 1);
  goals ~ neg_binomial_2(mu, phi);
}
