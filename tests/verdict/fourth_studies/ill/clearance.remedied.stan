// Concentration of a drug after an injection: it leaves by the kidneys and by the liver, and only the blood was looked at, which
// knows the sum of the rates: Rowland and Tozer, Clinical Pharmacokinetics and Pharmacodynamics (2011), chapter 5; simulated.
// Remedied.
data {
  int<lower=1> N;
  vector[N] hour;
  vector[N] log_conc;
}
parameters {
  real log_start;
  real<lower=0> total;
  real<lower=0> sigma;
}
model {
  log_start ~ normal(0, 5);
  total ~ normal(0, 1);
  sigma ~ normal(0, 1);
  log_conc ~ normal(log_start - total * hour, sigma);
}
