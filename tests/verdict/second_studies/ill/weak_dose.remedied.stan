// A dose-ranging trial whose largest dose hardly acts, with an Emax curve and a flat prior of the dose of half the effect:
// Ting, Dose Finding in Drug Development (2006), chapter 9; simulated. As ed50 grows the curve becomes the level, which fits
// well. Remedied.
data {
  int<lower=1> N;
  vector<lower=0>[N] dose;
  vector[N] response;
}
parameters {
  real level;
  real emax;
  real<lower=0> ed50;
  real<lower=0> sigma;
}
model {
  level ~ normal(0, 5);
  emax ~ normal(0, 2);
  ed50 ~ lognormal(log(10), 0.5);
  sigma ~ normal(0, 3);
  response ~ normal(level + emax * dose ./ (ed50 + dose), sigma);
}
