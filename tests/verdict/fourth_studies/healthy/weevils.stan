// Weevils on cones, zero-inflated Poisson-gamma counts: Welsh et al., Ecological Modelling 88 (1996); simulated.
data {
  int<lower=1> N;
  array[N] int<lower=0> y;
}
parameters {
  real<lower=0, upper=1> empty;
  real<lower=0> mu;
  real<lower=0> phi;
}
model {
  empty ~ beta(2, 2);
  mu ~ gamma(2, 0.5);
  phi ~ gamma(4, 2);
  for (n in 1:N) {
    if (y[n] == 0) {
      target += log_sum_exp(log(empty), log1m(empty) + neg_binomial_2_lpmf(0 | mu, phi));
    } else {
      target += log1m(empty) + neg_binomial_2_lpmf(y[n] | mu, phi);
    }
  }
}
generated quantities {
  int next_cone = bernoulli_rng(1 - empty) * neg_binomial_2_rng(mu, phi);
}
