// Numbers of birds at sites that were visited four times, of which each visit counts a part; the numbers are summed out: Royle,
// Biometrics 60 (2004); Royle and Dorazio, Hierarchical Modeling and Inference in Ecology, chapter 8; simulated.
data {
  int<lower=1> S;
  int<lower=1> V;
  array[S, V] int<lower=0> counted;
  int<lower=1> most;
}
parameters {
  real log_mean;
  real<lower=0, upper=1> p;
}
model {
  log_mean ~ normal(2, 0.7);
  p ~ beta(3, 3);
  for (s in 1:S) {
    int least = max(counted[s]);
    vector[most - least + 1] terms;
    for (n in least:most) {
      terms[n - least + 1] = poisson_log_lpmf(n | log_mean) + binomial_lpmf(counted[s] | n, p);
    }
    target += log_sum_exp(terms);
  }
}
generated quantities {
  real birds_of_region = 100 * exp(log_mean);
}
