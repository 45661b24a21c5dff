parameters {
  real x;
}
model {
  x ~ normal(0, 1);
}
generated quantities {
  int k = poisson_rng(1e300);
}
