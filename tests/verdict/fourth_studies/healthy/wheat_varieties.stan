// Yields of fourteen varieties of wheat on thirty plots each, varieties drawn around their mean, of which the data say so much
// that the centred form is right: Gelman and Hill, Data Analysis Using Regression (2007), section 12.5; simulated.
data {
  int<lower=1> N;
  int<lower=1> J;
  array[N] int<lower=1, upper=J> variety;
  vector[N] yield_;
}
parameters {
  real mu;
  real<lower=0> tau;
  vector[J] theta;
  real<lower=0> sigma;
}
model {
  mu ~ normal(50, 20);
  tau ~ normal(0, 15);
  sigma ~ normal(0, 15);
  theta ~ normal(mu, tau);
  yield_ ~ normal(theta[variety], sigma);
}
generated quantities {
  real next_variety = normal_rng(mu, tau);
}
