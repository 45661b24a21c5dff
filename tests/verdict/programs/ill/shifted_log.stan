// Temperatures on a shifted log scale; no start within two of zero is warm enough, but for a few.
// expect: initial_values shift
// may: shift
// sample: --init 2
// level: note
data {
  int<lower=1> N;
  vector[N] y;
}
parameters {
  real shift;  // here
  real mu;
  real<lower=0> sigma;
}
model {
  shift ~ normal(8, 1);  // here
  mu ~ normal(2, 1);
  sigma ~ normal(0, 1);
  log(y + shift) ~ normal(mu, sigma);  // here
  target += -sum(log(y + shift));  // here
}
