// Random intercepts, centred: group means around a common mean.
// reference: intercepts_noncentred
data { int N; int J; array[N] int<lower=1, upper=J> g; vector[N] y; }
parameters { real mu; real<lower=0> tau; real<lower=0> sigma; vector[J] a; }
model {
  mu ~ normal(0, 2);
  tau ~ lognormal(0, 0.5);
  sigma ~ lognormal(0, 0.3);
  a ~ normal(mu, tau);
  y ~ normal(a[g], sigma);
}
