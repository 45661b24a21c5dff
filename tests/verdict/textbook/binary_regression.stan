// Logistic regression with Cauchy priors of scale 2.5.
data { int N; int K; matrix[N, K] X; array[N] int<lower=0, upper=1> y; }
parameters { real a; vector[K] b; }
model {
  a ~ cauchy(0, 10);
  b ~ cauchy(0, 2.5);
  y ~ bernoulli_logit(a + X * b);
}
