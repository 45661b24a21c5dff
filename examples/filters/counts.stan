// Counts whose log rate is an autoregression: parameters alone, by a filter for each (credo sample --sampler smc2).
functions {
  real initial_rng(real mu, real s) {
    return normal_rng(mu, 2 * s);
  }
  real transition_rng(real before, real mu, real s) {
    return normal_rng(mu + 0.8 * (before - mu), s);
  }
  real observation_lpmf(int y, real x) {
    return poisson_log_lpmf(y | x);
  }
}
data {
  int T;
  array[T] int y;
}
parameters {
  real mu;
  real<lower=0> s;
}
model {
  mu ~ normal(0, 1);
  s ~ lognormal(-1, 0.5);
}
