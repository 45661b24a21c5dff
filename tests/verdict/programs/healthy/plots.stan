// Counts with an exposure; a flag that is seldom raised among the outputs.
data {
  int<lower=1> N;
  vector<lower=0>[N] area;
  vector[N] shade;
  array[N] int<lower=0> counts;
}
parameters {
  real alpha;
  real beta;
}
model {
  alpha ~ normal(0, 3);
  beta ~ normal(0, 1);
  counts ~ poisson_log(log(area) + alpha + beta * shade);
}
generated quantities {
  int strong = beta < -1.2;
  int never = alpha > 50;
  array[N] int again = poisson_log_rng(log(area) + alpha + beta * shade);
}
