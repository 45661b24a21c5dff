// Radon in twenty counties, two houses each, centred effects: Gelman and Hill, Data Analysis Using Regression, chapter 12;
// simulated. The houses, whose spread is known, tell little about a county.
// expect: funnel sd_county
// may: county
data {
  int<lower=1> N;
  int<lower=1> C;
  array[N] int<lower=1, upper=C> in_county;
  vector[N] basement;
  vector[N] log_radon;
  real<lower=0> sigma;
}
parameters {
  real mu;
  real per_basement;
  vector[C] county;
  real<lower=0> sd_county;
}
model {
  mu ~ normal(1, 2);
  per_basement ~ normal(0, 1);
  sd_county ~ normal(0, 1);
  county ~ normal(mu, sd_county);
  log_radon ~ normal(county[in_county] + per_basement * basement, sigma);
}
