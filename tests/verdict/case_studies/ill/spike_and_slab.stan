// Selection of predictors with a spike of positive width at zero and a slab: George and McCulloch (1993); Mitchell and Beauchamp
// (1988); simulated. A coefficient that may be either has two separate heaps, one of them very narrow.
// expect: multimodal beta
// expect: missing_mass beta
// expect: divergences beta
// expect: not_mixed beta
// may: beta sigma
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
    target += log_mix(0.5, normal_lpdf(beta[k] | 0, 0.002), normal_lpdf(beta[k] | 0, 3));
  }
  y ~ normal(X * beta, sigma);
}
