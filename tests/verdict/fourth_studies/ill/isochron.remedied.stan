// Ratios of isotopes in four minerals of a rock, a straight line the slope of which gives the age: Faure and Mensing, Isotopes
// (2005), chapter 5; simulated (in standard units). Four points and no priors: the posterior of the slope is Student's with one
// degree of freedom. Remedied.
// sample: --adapt-delta 0.95
data {
  int<lower=1> N;
  vector[N] rubidium;
  vector[N] strontium;
}
parameters {
  real initial;
  real slope;
  real<lower=0> sigma;
}
model {
  initial ~ normal(0, 2);
  slope ~ normal(0, 2);
  sigma ~ lognormal(-1.2, 0.5);
  strontium ~ normal(initial + slope * rubidium, sigma);
}
