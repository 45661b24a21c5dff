// Groups of rows with varying intercepts and slopes: the rows leave the density.
data {
  int<lower=1> rows_of_group, K;
}
transformed data {
  int N = rows_of_group * K;
  array[N] int g;
  vector[N] x, y;
  for (n in 1 : N) {
    g[n] = 1 + (n - 1) %/% rows_of_group;
    x[n] = 2 * sin(1.7 * n);
    y[n] = 1 + 0.5 * x[n] + cos(2.3 * g[n]) + sin(3.1 * g[n]) * x[n] + 1.5 * sin(0.9 * n * n);
  }
}
parameters {
  real a, b;
  vector[K] u, v;
  real<lower=0> sd_u, sd_v, sigma;
}
model {
  a ~ normal(0, 5);
  b ~ normal(0, 5);
  sd_u ~ exponential(1);
  sd_v ~ exponential(1);
  sigma ~ exponential(1);
  u ~ normal(0, sd_u);
  v ~ normal(0, sd_v);
  y ~ normal(a + b * x + u[g] + v[g] .* x, sigma);
}
