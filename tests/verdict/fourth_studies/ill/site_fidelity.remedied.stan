// Ringed birds that return in the next year: they must have survived and have come back to the same place; returns know the
// product of both probabilities: Schaub and Royle, Methods in Ecology and Evolution 5 (2014); simulated. Remedied.
data {
  int<lower=1> T;
  array[T] int<lower=0> ringed;
  array[T] int<lower=0> returned;
}
parameters {
  real<lower=0, upper=1> returns;
}
model {
  returns ~ beta(1, 1);
  returned ~ binomial(ringed, returns);
}
