// Gentamicin in twelve patients after an injection, one compartment with clearance and volume of their own: Sheiner, Rosenberg and Marathe, Journal of Pharmacokinetics and Biopharmaceutics 5 (1977); Gabrielsson and Weiner (2006); simulated. Accused: two centred hierarchies, which many samples per patient make right; half-lives as ratios.
data {
  int<lower=1> N;
  int<lower=1> P;
  array[N] int<lower=1, upper=P> patient;
  real<lower=0> dose;
  vector<lower=0>[N] time;
  vector<lower=0>[N] concentration;
}
parameters {
  real mean_log_clearance;
  real mean_log_volume;
  real<lower=0> spread_clearance;
  real<lower=0> spread_volume;
  vector[P] log_clearance;
  vector[P] log_volume;
  real<lower=0> sigma;
}
model {
  mean_log_clearance ~ normal(1.5, 1);
  mean_log_volume ~ normal(3, 1);
  spread_clearance ~ normal(0, 0.5);
  spread_volume ~ normal(0, 0.5);
  log_clearance ~ normal(mean_log_clearance, spread_clearance);
  log_volume ~ normal(mean_log_volume, spread_volume);
  sigma ~ normal(0, 0.3);
  log(concentration) ~ normal(log(dose) - log_volume[patient] - exp(log_clearance - log_volume)[patient] .* time, sigma);
}
generated quantities {
  vector[P] half_life = log2() * exp(log_volume - log_clearance);
  real new_clearance = lognormal_rng(mean_log_clearance, spread_clearance);
  real area_under_curve = dose / new_clearance;
}
