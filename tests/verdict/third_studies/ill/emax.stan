// A dose-response curve, the Emax model, with flat priors: Thomas, Sweeney and Somayaji, Statistics in Biopharmaceutical Research
// 6 (2014); simulated. The doses are too low to see the plateau: the response is a straight line, and so it is however far the
// plateau.
// expect: improper ed50/emax
// expect: flat_direction ed50 emax
// may: ed50 emax
data {
  int<lower=1> N;
  vector<lower=0>[N] dose;
  vector[N] response;
}
parameters {
  real e0;
  real<lower=0> emax;
  real<lower=0> ed50;
  real<lower=0> sigma;
}
model {
  response ~ normal(e0 + emax * dose ./ (ed50 + dose), sigma);
}
