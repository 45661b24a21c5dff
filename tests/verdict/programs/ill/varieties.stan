// Yields of four varieties: an intercept and an effect for each of them, none taken away.
// expect: flat_direction alpha beta
data {
  int<lower=1> N;
  int<lower=1> K;
  array[N] int<lower=1, upper=K> variety;
  vector[N] y;
}
parameters {
  real alpha;  // here
  vector[K] beta;  // here
  real<lower=0> sigma;
}
model {
  alpha ~ normal(0, 100);  // here
  beta ~ normal(0, 100);  // here
  sigma ~ normal(0, 5);
  y ~ normal(alpha + beta[variety], sigma);  // here
}
