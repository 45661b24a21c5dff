// Claims, their density summed in slices.
functions {
  real slice_lpmf(array[] int claims, int start, int end, vector log_rate) {
    return poisson_log_lpmf(claims | log_rate[start:end]);
  }
}
data {
  int<lower=1> N;
  array[N] int<lower=0> claims;
  vector[N] age;
}
parameters {
  real alpha;
  real beta;
}
model {
  alpha ~ normal(0, 1);
  beta ~ normal(0, 1);
  target += reduce_sum(slice_lpmf, claims, 1, alpha + beta * age);
}
