// A thin bent ridge: Rosenbrock (1960); Haario, Saksman and Tamminen (1999); as a regression on a latent square.
// expect: divergences x/y
// expect: missing_mass x/y
// expect: tree_depth x/y
// may: x y
data {
  real<lower=0> sd_ridge;
}
parameters {
  real x;
  real y;
}
model {
  x ~ normal(1, 2);
  y ~ normal(square(x), sd_ridge);
}
