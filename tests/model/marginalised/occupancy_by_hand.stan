data {
  int<lower=0> N; // sites
  int<lower=1> J; // visits
  matrix[N, J] effort;
  array[N, J] int<lower=0, upper=1> seen;
}
parameters {
  real<lower=0, upper=1> occupancy;
  vector[2] detection;
}
transformed parameters {
  vector[N] there;
  vector[N] absent;
  for (n in 1:N) {
    there[n] = log(occupancy) + bernoulli_logit_lpmf(seen[n] | detection[1] + detection[2] * effort[n]');
    absent[n] = sum(seen[n]) > 0 ? negative_infinity() : log1m(occupancy);
  }
}
model {
  detection ~ normal(0, 1.5);
  for (n in 1:N) {
    target += sum(seen[n]) > 0 ? there[n] : log_sum_exp(there[n], absent[n]);
  }
}
generated quantities {
  vector[N] p;
  for (n in 1:N) {
    p[n] = sum(seen[n]) > 0 ? 1 : inv_logit(there[n] - absent[n]);
  }
}
