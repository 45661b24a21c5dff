// Four repeats, of which the standard deviation is wanted; its bound was forgotten.
// expect: missing_constraint sigma
data {
  int<lower=1> N;
  vector[N] y;
}
parameters {
  real mu;
  real sigma;  // here
}
model {
  mu ~ normal(0, 5);
  sigma ~ normal(0, 2);  // here
  y ~ normal(mu, sigma);  // here
}
