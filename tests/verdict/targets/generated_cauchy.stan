parameters {
  real x;
}
model {
  x ~ normal(0, 1);
}
generated quantities {
  real g = cauchy_rng(0, 1);
}
