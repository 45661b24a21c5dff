// Survival times of Weibull's distribution with two treatments.
data { int N; vector[N] x; vector<lower=0>[N] y; }
parameters { real a; real b; real<lower=0> shape; }
model {
  a ~ normal(1, 1);
  b ~ normal(0, 0.7);
  shape ~ lognormal(0.2, 0.3);
  y ~ weibull(shape, exp(a + b * x));
}
