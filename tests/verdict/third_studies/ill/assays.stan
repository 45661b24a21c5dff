// Ten determinations of iron in an ore, five by either of two methods that contradict each other; errors are known to be small,
// with long tails for outliers: after O'Hagan, Journal of the Royal Statistical Society B 41 (1979); simulated.
// expect: multimodal mu
// sample: --chains 8
data {
  int<lower=1> N;
  vector[N] iron;
}
parameters {
  real mu;
}
model {
  mu ~ normal(5.5, 5);
  iron ~ student_t(3, mu, 0.1);
}
