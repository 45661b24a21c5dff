// Returns of an exchange rate with stochastic volatility, log volatilities as parameters: Kim, Shephard and Chib, Review of
// Economic Studies 65 (1998); Stan User's Guide, chapter on time series; simulated with 70 days, which say little of the
// volatility's spread.
// expect: funnel sigma/h
// expect: divergences sigma/h
// expect: low_energy_exchange sigma
// expect: missing_mass sigma/h
// may: sigma h phi
data {
  int<lower=2> T;
  vector[T] returns;
}
parameters {
  real mu;
  real<lower=0, upper=1> phi;
  real<lower=0> sigma;
  vector[T] h;
}
model {
  mu ~ normal(0, 1);
  phi ~ beta(20, 3);
  sigma ~ normal(0, 0.5);
  h[1] ~ normal(mu, sigma / sqrt(1 - square(phi)));
  h[2:T] ~ normal(mu + phi * (h[1:T - 1] - mu), sigma);
  returns ~ normal(0, exp(h / 2));
}
