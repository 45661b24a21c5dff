// Thirteen trials of the BCG vaccine: the log risk ratio of each, and their distribution [colditz1994].
data {
  int<lower=0> N;
  array[N] int<lower=0> vaccinated, vaccinated_ill, control, control_ill;
}
parameters {
  vector[N] log_odds;  // of illness without the vaccine
  real effect;         // mean log odds ratio
  real<lower=0> tau;   // between trials
  vector[N] z;
}
transformed parameters {
  vector[N] own_effect = effect + tau * z;
}
model {
  log_odds ~ normal(-4, 2);
  effect ~ normal(0, 1);
  tau ~ normal(0, 1);
  z ~ std_normal();
  control_ill ~ binomial_logit(control, log_odds);
  vaccinated_ill ~ binomial_logit(vaccinated, log_odds + own_effect);
}
generated quantities {
  real next_effect = normal_rng(effect, tau);  // in a trial elsewhere
  real next_ratio = exp(next_effect);
}
