// Ringed birds that return in the next year: they must have survived and have come back to the same place; returns know the
// product of both probabilities: Schaub and Royle, Methods in Ecology and Evolution 5 (2014); simulated.
// expect: flat_direction survival fidelity
// level: note
data {
  int<lower=1> T;
  array[T] int<lower=0> ringed;
  array[T] int<lower=0> returned;
}
parameters {
  real<lower=0, upper=1> survival;
  real<lower=0, upper=1> fidelity;
}
model {
  survival ~ beta(1, 1);
  fidelity ~ beta(1, 1);
  returned ~ binomial(ringed, survival * fidelity);
}
