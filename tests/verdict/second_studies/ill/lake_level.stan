// Levels of a lake in 30 years as a stationary autoregression, whose coefficient isn't declared to be one: Brockwell and Davis,
// Introduction to Time Series and Forecasting, example 1.3.5 (Lake Huron); simulated.
// expect: missing_constraint phi
data {
  int<lower=2> T;
  vector[T] level;
}
parameters {
  real mu;
  real phi;  // here
  real<lower=0> sigma;
}
model {
  mu ~ normal(0, 2);
  phi ~ normal(0, 1);  // here
  sigma ~ normal(0, 1);
  level[1] ~ normal(mu, sigma / sqrt(1 - square(phi)));  // here
  level[2:T] ~ normal(mu + phi * (level[1:T - 1] - mu), sigma);
}
