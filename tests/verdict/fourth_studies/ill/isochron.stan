// Ratios of isotopes in four minerals of a rock, a straight line the slope of which gives the age: Faure and Mensing, Isotopes
// (2005), chapter 5; simulated (in standard units). Four points and no priors: the posterior of the slope is Student's with one
// degree of freedom.
// expect: heavy_tails initial/slope/sigma
// may: initial slope sigma
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
  strontium ~ normal(initial + slope * rubidium, sigma);
}
