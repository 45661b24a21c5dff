// Reaction times of subjects over days: an intercept and effects around zero, in units of the data.
data { int N; int J; array[N] int<lower=1, upper=J> g; vector[N] x; vector[N] y; }
parameters { real b0; real b1; real<lower=0> tau; real<lower=0> sigma; vector[J] u; }
model {
  b0 ~ normal(0, 1000);
  b1 ~ normal(0, 100);
  tau ~ normal(0, 200);
  sigma ~ normal(0, 200);
  u ~ normal(0, tau);
  y ~ normal(b0 + b1 * x + u[g], sigma);
}
