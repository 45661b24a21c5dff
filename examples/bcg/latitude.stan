// The same trials; how much the vaccine protects depends on the latitude.
data {
  int<lower=0> N;
  array[N] int<lower=0> vaccinated, vaccinated_ill, control, control_ill;
  vector[N] latitude;
}
parameters {
  vector[N] log_odds;
  real effect, slope;  // at latitude 33, for 10 degrees more
  real<lower=0> tau;
  vector[N] z;
}
transformed parameters {
  vector[N] own_effect = effect + slope * (latitude - 33) / 10 + tau * z;
}
model {
  log_odds ~ normal(-4, 2);
  effect ~ normal(0, 1);
  slope ~ normal(0, 0.5);
  tau ~ normal(0, 1);
  z ~ std_normal();
  control_ill ~ binomial_logit(control, log_odds);
  vaccinated_ill ~ binomial_logit(vaccinated, log_odds + own_effect);
}
generated quantities {
  // odds ratios in a trial at the equator, at 30 and at 60 degrees
  vector[3] next_ratio;
  for (k in 1:3)
    next_ratio[k] = exp(normal_rng(effect + slope * ((k - 1) * 30 - 33) / 10, tau));
}
