// Deaths with ovarian cancer by half-years and two therapies, hazards constant within a half-year: Holford, Biometrics 36 (1980); Ibrahim, Chen and Sinha, Bayesian Survival Analysis (2001), chapter 3; simulated. Accused: a half-year without a death, whose hazard has its mode at zero; constants of one in the survival curve.
data {
  int<lower=1> J;
  array[2, J] int<lower=0> deaths;
  array[2] vector<lower=0>[J] exposure;
}
parameters {
  vector<lower=0>[J] hazard;
  real log_ratio;
}
model {
  hazard ~ exponential(2);
  log_ratio ~ normal(0, 1);
  deaths[1] ~ poisson(hazard .* exposure[1]);
  deaths[2] ~ poisson(hazard .* exposure[2] * exp(log_ratio));
}
generated quantities {
  real hazard_ratio = exp(log_ratio);
  array[2] vector[J + 1] alive;
  alive[1, 1] = 1;
  alive[2, 1] = 1;
  for (j in 1:J) {
    alive[1, j + 1] = alive[1, j] * exp(-0.5 * hazard[j]);
    alive[2, j + 1] = alive[2, j] * exp(-0.5 * hazard[j] * hazard_ratio);
  }
  array[J] int deaths_rep = poisson_rng(hazard .* exposure[1]);
}
