parameters {
  real x;
  real y;
}
model {
  x ~ normal(0, 1e6);
  y ~ normal(0, 1e-6);
}
