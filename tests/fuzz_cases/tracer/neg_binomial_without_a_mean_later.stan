parameters {
  real x;
}
model {
  x ~ normal(0, 1);
}
generated quantities {
  int k = neg_binomial_2_rng(1e300, 1e-300);
}
