// Waiting times with a uniform prior that the declaration doesn't repeat.
// expect: missing_constraint shift
// may: rate
data {
  int<lower=1> N;
  vector<lower=0>[N] wait;
}
parameters {
  real shift;  // here
  real<lower=0> rate;
}
model {
  shift ~ uniform(0, 0.5);  // here
  rate ~ gamma(2, 1);
  for (i in 1:N)
    target += exponential_lpdf(wait[i] - shift | rate);  // here
}
