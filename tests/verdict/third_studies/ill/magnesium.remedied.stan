// Magnesium after a heart attack, twelve small trials: Higgins and Spiegelhalter, International Journal of Epidemiology 31
// (2002); simulated. Effects of the trials, on the logit scale, are drawn around their mean by a standard deviation of which the
// trials, which are small, say little. Remedied.
// sample: --adapt-delta 0.95
data {
  int<lower=1> J;
  array[J] int<lower=0> n_treated;
  array[J] int<lower=0> deaths_treated;
  array[J] int<lower=0> n_control;
  array[J] int<lower=0> deaths_control;
}
parameters {
  vector[J] phi;
  vector[J] z;
  real d;
  real<lower=0> tau;
}
transformed parameters {
  vector[J] theta = d + tau * z;
}
model {
  phi ~ normal(-2, 1.5);
  d ~ normal(0, 2);
  tau ~ normal(0, 1);
  z ~ std_normal();
  deaths_control ~ binomial_logit(n_control, phi);
  deaths_treated ~ binomial_logit(n_treated, phi + theta);
}
generated quantities {
  real odds_ratio = exp(d);
}
