// Three coefficients of note.
data { int N; int K; matrix[N, K] X; vector[N] y; }
parameters { vector[3] b; real<lower=0> s; }
model {
  b ~ normal(0, 1.5);
  s ~ lognormal(0, 0.3);
  y ~ normal(X[, 1:3] * b, s);
}
