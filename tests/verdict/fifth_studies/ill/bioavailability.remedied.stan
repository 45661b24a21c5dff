// Logarithms of the ratios of areas under the curve after a tablet and an injection in fourteen volunteers: Chow and Liu, Design
// and Analysis of Bioavailability and Bioequivalence Studies (2009); simulated. Clearance is saturated by the tablet, so that the
// ratio is above one, where the available share can't be. Remedied: the ratio as any positive number.
data {
  int<lower=1> N;
  vector[N] log_ratio;
}
parameters {
  real<lower=0> bioavailability;
  real<lower=0> sigma;
}
model {
  bioavailability ~ lognormal(0, 0.5);
  sigma ~ normal(0, 0.5);
  log_ratio ~ normal(log(bioavailability), sigma);
}
