// Concentration of indomethacin after an injection, two exponentials whose rates are in order: Kwan et al., Journal of
// Pharmacokinetics and Biopharmaceutics 4 (1976); Davidian and Giltinan, Nonlinear Models for Repeated Measurement Data (1995);
// simulated.
data {
  int<lower=1> N;
  vector[N] hour;
  vector<lower=0>[N] conc;
}
parameters {
  vector<lower=0>[2] amount;
  positive_ordered[2] rate;
  real<lower=0> sigma;
}
model {
  amount ~ lognormal(0, 1);
  rate[1] ~ lognormal(-1.5, 0.5);
  rate[2] ~ lognormal(0.8, 0.5);
  sigma ~ normal(0, 0.5);
  conc ~ lognormal(log(amount[1] * exp(-rate[1] * hour) + amount[2] * exp(-rate[2] * hour)), sigma);
}
generated quantities {
  real area = sum(amount ./ rate);
}
