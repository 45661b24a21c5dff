// Readings of a pollutant have the noise of the instrument and that of the weather, each with a standard deviation, and nothing
// was read twice: Fuller, Measurement Error Models (1987), section 1.1; simulated. Variances add up. Remedied.
data {
  int<lower=1> N;
  vector[N] y;
}
parameters {
  real mu;
  real<lower=0> noise;
}
model {
  mu ~ normal(0, 10);
  noise ~ normal(0, 5);
  y ~ normal(mu, noise);
}
