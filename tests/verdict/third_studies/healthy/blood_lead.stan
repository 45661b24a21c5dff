// Scores of children by lead in the blood, measured with a known error; the true values are parameters: Carroll et al.,
// Measurement Error in Nonlinear Models (2006); simulated.
data {
  int<lower=1> N;
  vector[N] measured;
  real<lower=0> error;
  vector[N] score;
}
parameters {
  real mu;
  real<lower=0> tau;
  vector[N] lead;
  real a;
  real b;
  real<lower=0> sigma;
}
model {
  mu ~ normal(2, 2);
  tau ~ normal(0, 2);
  a ~ normal(0, 5);
  b ~ normal(0, 2);
  sigma ~ normal(0, 2);
  lead ~ normal(mu, tau);
  measured ~ normal(lead, error);
  score ~ normal(a + b * lead, sigma);
}
generated quantities {
  real reliability = square(tau) / (square(tau) + square(error));
  real naive_slope = b * reliability;
}
