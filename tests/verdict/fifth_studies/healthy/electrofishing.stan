// Fish of fifteen reaches of a stream by three passes of removal, Poisson numbers summed out: Zippin, Journal of Wildlife Management 22 (1958); Wyatt, Canadian Journal of Fisheries and Aquatic Sciences 59 (2002); simulated. Accused: whole numbers with heaps at zero, abundances that are correlated with the catchability.
data {
  int<lower=1> M;
  int<lower=1> J;
  array[M, J] int<lower=0> caught;
}
parameters {
  vector[M] log_density;
  real<lower=0, upper=1> p;
}
model {
  log_density ~ normal(3, 1);
  p ~ beta(1, 1);
  for (j in 1:J) {
    caught[, j] ~ poisson_log(log_density + log(p) + (j - 1) * log1m(p));
  }
}
generated quantities {
  array[M] int left;
  array[M] int fish;
  array[M] int all_caught;
  for (m in 1:M) {
    left[m] = poisson_rng(exp(log_density[m]) * (1 - p) ^ J);
    fish[m] = sum(caught[m]) + left[m];
    all_caught[m] = left[m] == 0;
  }
}
