// Masses in kilograms of grains, currents in ampere: parameters of very different sizes.
data {
  int<lower=1> N;
  vector[N] mass;
  vector[N] current;
}
parameters {
  real<lower=0> mean_mass;
  real<lower=0> sd_mass;
  real mean_current;
  real<lower=0> sd_current;
}
model {
  mean_mass ~ lognormal(-13, 2);
  sd_mass ~ lognormal(-15, 2);
  mean_current ~ normal(0, 1e5);
  sd_current ~ normal(0, 1e4);
  mass ~ normal(mean_mass, sd_mass);
  current ~ normal(mean_current, sd_current);
}
