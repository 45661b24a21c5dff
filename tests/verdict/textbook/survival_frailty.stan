// Survival times, exponential, with a frailty of each centre.
data { int N; int J; array[N] int<lower=1, upper=J> g; vector[N] x; vector<lower=0>[N] y; }
parameters { real a; real b; real<lower=0> tau; vector[J] u; }
model {
  a ~ normal(0, 1);
  b ~ normal(0, 0.7);
  tau ~ lognormal(-0.5, 0.4);
  u ~ normal(0, tau);
  y ~ exponential(exp(a + b * x + u[g]));
}
