// Selection of predictors with a spike of positive width at zero and a slab: George and McCulloch (1993); Mitchell and Beauchamp
// (1988); simulated. A coefficient that may be either has two separate heaps, one of them very narrow.
// Remedied: a continuous prior that shrinks.
data {
  int<lower=1> N;
  int<lower=1> K;
  matrix[N, K] X;
  vector[N] y;
}
parameters {
  vector[K] beta;
  real<lower=0> sigma;
}
model {
  sigma ~ normal(0, 2);
  for (k in 1:K) {
    beta[k] ~ double_exponential(0, 1);
  }
  y ~ normal(X * beta, sigma);
}
