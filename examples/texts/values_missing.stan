// Outcomes some of which are missing. Whether one is seen can depend on its own value (slope isn't 0): then the mechanism belongs to the
// model, and the outcomes that are missing are parameters.
//   credo sample examples/texts/values_missing.stan --data examples/texts/values_missing.json
data {
  int<lower=0> N_seen, N_missing;
  vector[N_seen] y_seen;
  real missing_offset, missing_slope;  // logit of the probability of being missing: offset + slope * y
}
parameters {
  real mu;
  real<lower=0> sigma;
  vector[N_missing] y_missing;
}
model {
  mu ~ normal(0, 10);
  sigma ~ exponential(0.2);
  y_seen ~ normal(mu, sigma);
  y_missing ~ normal(mu, sigma);
  target += bernoulli_logit_lpmf(rep_array(0, N_seen) | missing_offset + missing_slope * y_seen);
  target += bernoulli_logit_lpmf(rep_array(1, N_missing) | missing_offset + missing_slope * y_missing);
}
