// Optical density of an immunoassay by dilution, four-parameter logistic, well covered: Gelman, Chew and Shnaidman, Biometrics 60
// (2004); Dunn and Wild (2013), in The Immunoassay Handbook; simulated.
data {
  int<lower=1> N;
  vector<lower=0>[N] dose;
  vector[N] density;
}
parameters {
  real<lower=0> bottom;
  real<lower=0> height;
  real log_middle;
  real<lower=0> steepness;
  real<lower=0> sigma;
}
model {
  bottom ~ normal(0, 0.5);
  height ~ normal(2, 1);
  log_middle ~ normal(0.5, 1.5);
  steepness ~ lognormal(0, 0.5);
  sigma ~ normal(0, 0.3);
  density ~ normal(bottom + height * inv_logit(steepness * (log(dose) - log_middle)), sigma);
}
generated quantities {
  real dose_of_half = exp(log_middle);
}
