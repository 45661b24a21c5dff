// Concentration of a drug in sixteen patients, two samples of each, with rates of elimination drawn around their mean: Sheiner and
// Beal, Journal of Pharmacokinetics and Biopharmaceutics 9 (1981); Davidian and Giltinan, Nonlinear Models for Repeated
// Measurement Data (1995); simulated, with patients almost alike. Remedied.
// sample: --adapt-delta 0.95
data {
  int<lower=1> N;
  int<lower=1> J;
  array[N] int<lower=1, upper=J> subject;
  vector[N] hour;
  vector[N] log_concentration;
}
parameters {
  real log_start;
  real mean_log_rate;
  real<lower=0> omega;
  vector[J] z;
  real<lower=0> sigma;
}
transformed parameters {
  vector[J] log_rate = mean_log_rate + omega * z;
}
model {
  log_start ~ normal(2, 1);
  mean_log_rate ~ normal(-2, 1);
  omega ~ normal(0, 0.5);
  z ~ std_normal();
  sigma ~ normal(0, 0.5);
  log_concentration ~ normal(log_start - exp(log_rate[subject]) .* hour, sigma);
}
