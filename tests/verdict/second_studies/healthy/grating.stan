// Diffraction by a grating in metres and radians, parameters of about 1e-6 and 1e6: Gregory, Bayesian Logical Data Analysis for
// the Physical Sciences (2005), chapter 10; simulated. No parameter was given a scale.
data {
  int<lower=1> N;
  vector[N] order;
  vector[N] sine;
}
parameters {
  real<lower=0> spacing;
  real<lower=0> error;
}
model {
  spacing ~ lognormal(log(1.5e-6), 1);
  error ~ lognormal(log(1e-3), 1);
  sine ~ normal(order * 532e-9 / spacing, error);
}
generated quantities {
  real lines_per_metre = 1 / spacing;
}
