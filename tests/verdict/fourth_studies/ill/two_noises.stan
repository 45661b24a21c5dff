// Readings of a pollutant have the noise of the instrument and that of the weather, each with a standard deviation, and nothing
// was read twice: Fuller, Measurement Error Models (1987), section 1.1; simulated. Variances add up.
// expect: flat_direction instrument weather
// level: note
data {
  int<lower=1> N;
  vector[N] y;
}
parameters {
  real mu;
  real<lower=0> instrument;
  real<lower=0> weather;
}
model {
  mu ~ normal(0, 10);
  instrument ~ normal(0, 5);
  weather ~ normal(0, 5);
  y ~ normal(mu, sqrt(square(instrument) + square(weather)));
}
