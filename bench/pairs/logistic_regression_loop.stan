data {
  int N;
  int K;
  matrix[N, K] X;
  array[N] int<lower=0, upper=1> y;
}
parameters {
  real alpha;
  vector[K] beta;
}
model {
  beta ~ normal(0, 1);
  for (n in 1 : N) {
    y[n] ~ bernoulli_logit(alpha + X[n] * beta);
  }
}
