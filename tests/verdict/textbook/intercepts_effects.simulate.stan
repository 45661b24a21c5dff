// The same with priors of values that occur.
data { int N; int J; array[N] int<lower=1, upper=J> g; vector[N] x; vector[N] y; }
parameters { real b0; real b1; real<lower=0> tau; real<lower=0> sigma; vector[J] u; }
model {
  b0 ~ normal(250, 20);
  b1 ~ normal(10, 3);
  tau ~ lognormal(3.5, 0.3);
  sigma ~ lognormal(3.4, 0.2);
  u ~ normal(0, tau);
  y ~ normal(b0 + b1 * x + u[g], sigma);
}
