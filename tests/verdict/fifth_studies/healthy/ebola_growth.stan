// Cases of Ebola by week, exponential growth with negative binomial numbers, and the time in which they double: WHO Ebola Response Team, New England Journal of Medicine 371 (2014); simulated. Accused: the doubling time, a reciprocal with a pole in the posterior; a forecast of a year that fans out over orders of magnitude.
data {
  int<lower=1> T;
  array[T] int<lower=0> cases;
}
transformed data {
  vector[T] week;
  for (t in 1:T) {
    week[t] = t - 0.5 * (T + 1);
  }
}
parameters {
  real level;
  real growth;
  real<lower=0> concentration;
}
model {
  level ~ normal(3, 1);
  growth ~ normal(0, 0.2);
  concentration ~ gamma(2, 0.1);
  cases ~ neg_binomial_2_log(level + growth * week, concentration);
}
generated quantities {
  real doubling_time = log2() / growth;
  int grows = growth > 0;
  array[52] int forecast;
  vector[T] log_lik;
  for (h in 1:52) {
    forecast[h] = neg_binomial_2_log_rng(level + growth * (0.5 * (T - 1) + h), concentration);
  }
  for (t in 1:T) {
    log_lik[t] = neg_binomial_2_log_lpmf(cases[t] | level + growth * week[t], concentration);
  }
}
