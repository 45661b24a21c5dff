data {
  int N;
  int K;
  matrix[N, K] X;
  vector[N] y;
}
parameters {
  real alpha;
  vector[K] beta;
  real<lower=0> sigma;
}
model {
  for (k in 1 : K) {
    beta[k] ~ normal(0, 1);
  }
  for (n in 1 : N) {
    real mu = alpha;
    for (k in 1 : K) {
      mu += X[n, k] * beta[k];
    }
    y[n] ~ normal(mu, sigma);
  }
}
