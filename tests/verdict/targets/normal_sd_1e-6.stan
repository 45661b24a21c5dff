parameters {
  real x;
}
model {
  x ~ normal(0, 1e-6);
}
