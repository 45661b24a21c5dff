// Counts of a photometer against time of exposure: the star has a brightness and the detector an efficiency, and only their
// product is seen: after Howell, Handbook of CCD Astronomy (2006), chapter 4; simulated.
// expect: flat_direction brightness efficiency
data {
  int<lower=1> N;
  vector<lower=0>[N] exposure;
  vector[N] signal;
}
parameters {
  real<lower=0> brightness;
  real<lower=0> efficiency;
  real<lower=0> sigma;
}
model {
  brightness ~ normal(0, 100);
  efficiency ~ normal(0, 100);
  sigma ~ normal(0, 1);
  signal ~ normal(brightness * efficiency * exposure, sigma);
}
