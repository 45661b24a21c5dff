// The same with coefficients that occur.
data { int N; int K; matrix[N, K] X; array[N] int<lower=0, upper=1> y; }
parameters { real a; vector[K] b; }
model {
  a ~ normal(0, 0.7);
  b ~ normal(0, 0.7);
  y ~ bernoulli_logit(a + X * b);
}
