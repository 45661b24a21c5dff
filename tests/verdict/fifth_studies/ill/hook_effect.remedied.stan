// Concentration of an antigen from four readings of a sandwich immunoassay whose signal falls again at high concentrations:
// Rodbard et al., Immunochemistry 15 (1978), the hook effect; simulated. Two concentrations give the same signal. Remedied: the
// patient's state excludes the high ones.
// sample: --chains 8
data {
  int<lower=1> N;
  vector[N] signal;
}
parameters {
  real<upper=0.5 * log(50)> log_concentration;
}
model {
  real c = exp(log_concentration);
  log_concentration ~ normal(1.8, 2);
  signal ~ normal(100 * c / ((1 + c) * (1 + c / 50)), 2);
}
