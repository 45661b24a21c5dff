// Beetles killed by carbon disulphide: log odds linear in the log dose [bliss1935].
data {
  int<lower=0> N;  // groups
  vector[N] log_dose;
  array[N] int<lower=0> exposed, killed;
}
parameters {
  real middle;          // log odds at log dose 1.8
  real<lower=0> slope;  // for 0.1 more of log dose
}
model {
  middle ~ normal(0, 2);
  slope ~ normal(0, 5);
  killed ~ binomial_logit(exposed, middle + slope * (log_dose - 1.8) / 0.1);
}
generated quantities {
  // doses that kill a half and 95 of 100, in mg/l
  real half = 10 ^ (1.8 - 0.1 * middle / slope);
  real most = 10 ^ (1.8 + 0.1 * (logit(0.95) - middle) / slope);
}
