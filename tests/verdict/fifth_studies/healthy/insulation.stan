// Life of the insulation of motors at four high temperatures, the line of Arrhenius with lognormal lives, some censored: Nelson, Accelerated Testing (1990), chapter 3; Meeker and Escobar, Statistical Methods for Reliability Data (1998); simulated. Accused: intercept and slope that are strongly correlated, hours of a hundred thousand beside hundredths, far extrapolation.
data {
  int<lower=1> N;
  vector<lower=0>[N] hours;
  vector[N] celsius;
  array[N] int<lower=0, upper=1> failed;
}
transformed data {
  vector[N] x = 1000 / (celsius + 273.16) - 1.7;
}
parameters {
  real intercept;
  real slope;
  real<lower=0> sigma;
}
model {
  intercept ~ normal(6, 5);
  slope ~ normal(8, 5);
  sigma ~ normal(0, 1);
  for (n in 1:N) {
    if (failed[n]) {
      hours[n] ~ lognormal(intercept + slope * x[n], sigma);
    } else {
      target += lognormal_lccdf(hours[n] | intercept + slope * x[n], sigma);
    }
  }
}
generated quantities {
  real activation_energy = slope * 0.08617;
  real use = intercept + slope * (1000 / (130 + 273.16) - 1.7);
  real median_hours = exp(use);
  real hours_until_tenth = exp(use - 1.2816 * sigma);
  real life_of_one = lognormal_rng(use, sigma);
}
