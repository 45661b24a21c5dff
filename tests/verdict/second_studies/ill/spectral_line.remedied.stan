// A spectral line of known width in sixty channels, whose place is sought from starting values far and wide: Loredo, in Maximum
// Entropy and Bayesian Methods (1990); Gregory, Bayesian Logical Data Analysis for the Physical Sciences (2005), section 3.6;
// simulated. Far from the line the likelihood is level but for ripples of noise, in which chains stay. Remedied.
data {
  int<lower=1> N;
  vector[N] channel;
  vector[N] signal;
}
parameters {
  real<offset=47, multiplier=0.3> line;  // begins at the largest signal
}
model {
  line ~ uniform(0, 60);
  signal ~ normal(5 * exp(-0.5 * square((channel - line) / 1.2)), 1);
}
