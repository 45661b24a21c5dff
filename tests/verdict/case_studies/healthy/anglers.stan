// Fish caught by parties of whom some did not fish: Lambert (1992); Stan User's Guide, "Zero-inflated and hurdle models";
// simulated. Predictions and their mean have heaps at zero.
data {
  int<lower=1> N;
  array[N] int<lower=0> caught;
}
transformed data {
  int zeros = 0;
  for (n in 1:N) {
    zeros += caught[n] == 0;
  }
}
parameters {
  real<lower=0, upper=1> idle;
  real<lower=0> rate;
}
model {
  idle ~ beta(1, 1);
  rate ~ gamma(2, 0.5);
  target += zeros * log_sum_exp(log(idle), log1m(idle) - rate);
  for (n in 1:N) {
    if (caught[n] > 0) {
      target += log1m(idle) + poisson_lpmf(caught[n] | rate);
    }
  }
}
generated quantities {
  int<lower=0, upper=1> next_idle = bernoulli_rng(idle);
  int<lower=0> next_caught = next_idle ? 0 : poisson_rng(rate);
  real next_weight = next_caught * lognormal_rng(0, 1);
  int<lower=0> observed_zeros = zeros;
}
