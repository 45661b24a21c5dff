// Counts that vary more than Poisson's.
data { int N; vector[N] x; array[N] int<lower=0> y; }
parameters { real a; real b; real<lower=0> phi; }
model {
  a ~ normal(1, 0.5);
  b ~ normal(0, 0.5);
  phi ~ lognormal(1, 0.5);
  y ~ neg_binomial_2_log(a + b * x, phi);
}
