// Hurricanes a year with a change of rate in a year that is summed out and then drawn: Elsner, Jagger and Niu, Geophysical
// Research Letters 27 (2000); simulated.
data {
  int<lower=2> T;
  array[T] int<lower=0> storms;
}
parameters {
  real<lower=0> early;
  real<lower=0> late;
}
transformed parameters {
  vector[T] lp = rep_vector(-log(T), T);
  for (s in 1:T) {
    for (t in 1:T) {
      lp[s] += poisson_lpmf(storms[t] | t < s ? early : late);
    }
  }
}
model {
  early ~ gamma(2, 0.5);
  late ~ gamma(2, 0.5);
  target += log_sum_exp(lp);
}
generated quantities {
  int change = categorical_logit_rng(lp);
  real ratio = late / early;
}
