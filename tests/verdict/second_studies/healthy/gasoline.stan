// Share of crude oil that becomes gasoline by temperature, beta regression: Prater, Petroleum Refiner 35 (1956); Ferrari and
// Cribari-Neto, Journal of Applied Statistics 31 (2004); simulated. The precision is in the hundreds.
data {
  int<lower=1> N;
  vector[N] temperature;
  vector<lower=0, upper=1>[N] yield;
}
parameters {
  real alpha;
  real beta;
  real<lower=0> precision;
}
model {
  vector[N] mu = inv_logit(alpha + beta * temperature);
  alpha ~ normal(-1, 1);
  beta ~ normal(0, 1);
  precision ~ gamma(2, 0.01);
  yield ~ beta(mu * precision, (1 - mu) * precision);
}
