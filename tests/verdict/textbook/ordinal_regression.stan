// Answers in five ordered categories.
data { int N; vector[N] x; array[N] int<lower=1, upper=5> y; }
parameters { real b; ordered[4] c; }
model {
  b ~ normal(0, 1);
  c ~ normal(0, 1.5);
  y ~ ordered_logistic(b * x, c);
}
