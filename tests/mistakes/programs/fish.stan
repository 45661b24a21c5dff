// Fish caught by visitors, many of whom did not fish: a zero-inflated Poisson distribution.
functions {
  real zip_lpmf(int k, real theta, real log_rate) {
    if (k == 0) {
      return log_sum_exp(log(theta), log1m(theta) + poisson_log_lpmf(0 | log_rate));
    }
    return log1m(theta) + poisson_log_lpmf(k | log_rate);
  }
}
data {
  int<lower=0> N;
  int<lower=1> K;
  matrix[N, K] X;
  array[N] int<lower=0> caught;
}
transformed data {
  int total = sum(caught);
  vector[K] centre;
  for (k in 1:K) {
    centre[k] = mean(X[, k]);
  }
}
parameters {
  real<lower=0, upper=1> theta;
  real alpha;
  vector[K] beta;
}
transformed parameters {
  vector[N] eta = alpha + X * beta;
}
model {
  theta ~ beta(2, 2);
  alpha ~ normal(0, 2);
  beta ~ normal(0, 1);
  for (n in 1:N) {
    caught[n] ~ zip(theta, eta[n]);
  }
}
generated quantities {
  array[N] int predicted;
  for (n in 1:N) {
    predicted[n] = bernoulli_rng(theta) == 1 ? 0 : poisson_log_rng(eta[n]);
  }
}
