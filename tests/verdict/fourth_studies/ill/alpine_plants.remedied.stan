// Species of plants on sixty plots by altitude, metres from the middle, a Poisson regression with a slope of standard deviation
// twenty-five: Zuur et al., Mixed Effects Models and Extensions in Ecology with R (2009), chapter 9; simulated. At nearly all
// starts some expected count is larger than any number of the machine. Remedied.
data {
  int<lower=1> N;
  vector[N] altitude;
  array[N] int<lower=0> species;
}
parameters {
  real alpha;
  real beta;
}
model {
  alpha ~ normal(0, 3);
  beta ~ normal(0, 2);
  species ~ poisson_log(alpha + beta * altitude / 1000);
}
