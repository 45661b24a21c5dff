// A dose-response curve, the Emax model, with flat priors: Thomas, Sweeney and Somayaji, Statistics in Biopharmaceutical Research
// 6 (2014); simulated. The doses are too low to see the plateau: the response is a straight line, and so it is however far the
// plateau. Remedied.
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
  e0 ~ normal(0, 5);
  emax ~ lognormal(log(12), 0.4);
  ed50 ~ lognormal(log(20), 0.4);
  sigma ~ normal(0, 2);
  response ~ normal(e0 + emax * dose ./ (ed50 + dose), sigma);
}
