parameters {
  real x;
}
model {
  x ~ normal(1e6, 1);
}
