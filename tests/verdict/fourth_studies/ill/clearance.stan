// Concentration of a drug after an injection: it leaves by the kidneys and by the liver, and only the blood was looked at, which
// knows the sum of the rates: Rowland and Tozer, Clinical Pharmacokinetics and Pharmacodynamics (2011), chapter 5; simulated.
// expect: flat_direction renal hepatic
// level: note
data {
  int<lower=1> N;
  vector[N] hour;
  vector[N] log_conc;
}
parameters {
  real log_start;
  real<lower=0> renal;
  real<lower=0> hepatic;
  real<lower=0> sigma;
}
model {
  log_start ~ normal(0, 5);
  renal ~ normal(0, 1);
  hepatic ~ normal(0, 1);
  sigma ~ normal(0, 1);
  log_conc ~ normal(log_start - (renal + hepatic) * hour, sigma);
}
