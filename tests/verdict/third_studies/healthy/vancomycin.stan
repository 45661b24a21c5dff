// Concentration of vancomycin after an infusion, one compartment, with half-life and area under the curve: Gabrielsson and
// Weiner, Pharmacokinetic and Pharmacodynamic Data Analysis (2006); simulated.
data {
  int<lower=1> N;
  vector<lower=0>[N] hour;
  vector<lower=0>[N] concentration;
  real<lower=0> dose;
}
parameters {
  real<lower=0> CL;
  real<lower=0> V;
  real<lower=0> sigma;
}
model {
  CL ~ lognormal(log(5), 0.5);
  V ~ lognormal(log(50), 0.5);
  sigma ~ normal(0, 0.5);
  concentration ~ lognormal(log(dose / V) - CL / V * hour, sigma);
}
generated quantities {
  real half_life = log(2) * V / CL;
  real AUC = dose / CL;
  real after_two_days = dose / V * exp(-CL / V * 48);
}
