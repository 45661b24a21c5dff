// Radon in twenty counties, two houses each, centred effects: Gelman and Hill, Data Analysis Using Regression, chapter 12;
// simulated. The houses tell little about a county.
// Remedied: effects that are not centred.
// sample: --adapt-delta 0.95
data {
  int<lower=1> N;
  int<lower=1> C;
  array[N] int<lower=1, upper=C> in_county;
  vector[N] basement;
  vector[N] log_radon;
}
parameters {
  real mu;
  real per_basement;
  vector[C] z;
  real<lower=0> sd_county;
  real<lower=0> sigma;
}
transformed parameters {
  vector[C] county = mu + sd_county * z;
}
model {
  mu ~ normal(1, 2);
  per_basement ~ normal(0, 1);
  sd_county ~ normal(0, 1);
  sigma ~ lognormal(-0.1, 0.15);
  z ~ std_normal();
  log_radon ~ normal(county[in_county] + per_basement * basement, sigma);
}
