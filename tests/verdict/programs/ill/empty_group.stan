// Counts in regions; no plot lies in region 4, and nothing is known of its rate beforehand.
// expect: improper log_rate[4]
data {
  int<lower=1> N;
  int<lower=1> R;
  array[N] int<lower=1, upper=R> region;
  array[N] int<lower=0> counts;
}
parameters {
  vector[R] log_rate;  // here
}
model {
  counts ~ poisson_log(log_rate[region]);  // here
}
