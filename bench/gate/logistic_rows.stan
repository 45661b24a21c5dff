// Logistic regression of 20,000 rows, made of waves that don't repeat: a value has to cost at most half of a gradient.
data {
  int N;
}
transformed data {
  matrix[N, 3] x;
  array[N] int y;
  for (n in 1 : N) {
    for (k in 1 : 3) {
      x[n, k] = sin(1.7 * n * k) + cos(0.31 * n);
    }
    y[n] = sin(0.9 * n) + 0.5 * x[n, 1] > 0.2;
  }
}
parameters {
  real alpha;
  vector[3] beta;
}
model {
  alpha ~ normal(0, 2.5);
  beta ~ normal(0, 2.5);
  y ~ bernoulli_logit(alpha + x * beta);
}
