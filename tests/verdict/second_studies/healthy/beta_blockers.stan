// Deaths after a heart attack with and without beta blockers in 22 trials, random effects of the log odds ratio: Carlin (1992);
// Gelman et al., Bayesian Data Analysis, section 5.6; BUGS examples, volume 1, "Blocker".
// sample: --adapt-delta 0.95
data {
  int<lower=1> J;
  array[J] int<lower=0> deaths_treated;
  array[J] int<lower=0> treated;
  array[J] int<lower=0> deaths_control;
  array[J] int<lower=0> control;
}
parameters {
  vector[J] baseline;
  real delta;
  real<lower=0> tau;
  vector[J] z;
}
model {
  baseline ~ normal(-2, 1);
  delta ~ normal(0, 1);
  tau ~ cauchy(0, 0.5);
  z ~ std_normal();
  deaths_control ~ binomial_logit(control, baseline);
  deaths_treated ~ binomial_logit(treated, baseline + delta + tau * z);
}
generated quantities {
  real new_odds_ratio = exp(normal_rng(delta, tau));
  real share_between = square(tau) / (square(tau) + 0.01);
}
