// Free throws of twelve players, beta-binomial with flat priors of both parameters: Gelman et al., Bayesian Data Analysis, third
// edition (2013), section 5.3, on improper hyperpriors; simulated, with players that are all alike. Both may grow together
// without end. Remedied.
data {
  int<lower=1> J;
  array[J] int<lower=0> n;
  array[J] int<lower=0> hits;
}
parameters {
  real<lower=0, upper=1> mean_rate;
  real log_count;
}
model {
  mean_rate ~ beta(2, 2);
  log_count ~ normal(4, 1);
  hits ~ beta_binomial(n, mean_rate * exp(log_count), (1 - mean_rate) * exp(log_count));
}
