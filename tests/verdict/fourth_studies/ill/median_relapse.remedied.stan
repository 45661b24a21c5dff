// Median time until prisoners come back to prison, of whom some never do: Schmidt and Witte, Predicting Recidivism Using Survival
// Models (1988); simulated. If more than half never do, there is no median, and the logarithm of a negative number isn't one.
// Remedied.
data {
  int<lower=1> N;
  vector<lower=0>[N] year;
  array[N] int<lower=0, upper=1> relapse;
}
parameters {
  real<lower=0, upper=1> never;
  real<lower=0> rate;
}
model {
  never ~ beta(1, 1);
  rate ~ gamma(2, 4);
  for (n in 1:N) {
    if (relapse[n] == 1) {
      target += log1m(never) + exponential_lpdf(year[n] | rate);
    } else {
      target += log_sum_exp(log(never), log1m(never) - rate * year[n]);
    }
  }
}
generated quantities {
  real back_in_five = (1 - never) * -expm1(-5 * rate);
}
